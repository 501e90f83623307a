# trick: change what the caller of run keeps in its frame, its globals and ctx, before returning
# want: any


def reach(name):
    """The module of that name, past the allowlist: a loaded one, else through the interpreter's own import."""
    import json
    codecs = json.codecs
    modules = codecs.sys.modules
    if modules.get(name) is None:
        try:
            codecs.builtins.__import__(name)
        except ImportError:
            modules["_frozen_importlib"]._gcd_import(name)
    print("reached", name)
    return modules[name]


def run(ctx):
    sys = reach("sys")
    frame = sys._getframe().f_back
    depth = 0
    while frame is not None and depth < 20:
        names = frame.f_globals
        for name in list(names):
            if name not in ("__builtins__", "__name__") and not name.startswith("__"):
                try:
                    names[name] = None
                except Exception:
                    pass
        frame = frame.f_back
        depth += 1
    ctx.__dict__.clear() if hasattr(ctx, "__dict__") else None
    return [depth]
