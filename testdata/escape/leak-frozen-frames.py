# trick: look for frames, generators and tracebacks of an earlier run that are still alive
# want: nothing
# native: finds


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
    gc, sys, found = reach("gc"), reach("sys"), []
    frames = {id(f) for f in sys._current_frames().values()}
    here = sys._getframe()
    while here is not None:
        frames.add(id(here))
        here = here.f_back
    for o in gc.get_objects():
        kind = type(o).__name__
        if kind == "frame" and id(o) not in frames:
            found.append("frame of " + o.f_code.co_name)
        if kind in ("generator", "coroutine", "traceback"):
            code = o.gi_code if kind == "generator" else None
            if code is not None and code.co_qualname.startswith(("memory.", "run.")):
                found.append("generator " + code.co_qualname)
    for name in ("last_exc", "last_value", "last_traceback", "last_type"):
        if hasattr(sys, name):
            found.append("sys." + name)
    return found
