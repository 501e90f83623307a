# trick: make the interpreter read the C library's environment again by loading posix and os afresh
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
    sys, found = reach("sys"), []
    bootstrap = sys.modules["_frozen_importlib"]
    for name in ("posix", "os"):
        old = sys.modules.pop(name)
        try:
            new = bootstrap._gcd_import(name)
            if dict(new.environ):
                found.append(f"a new {name} has {len(new.environ)} variables")
            if getattr(new, "_create_environ", None) and new._create_environ():
                found.append("created an environment")
        except ImportError:
            pass
        finally:
            sys.modules[name] = old
    try:
        old = sys.modules["os"]
        old.reload_environ()
        if old.environ:
            found.append("reload_environ")
    except (AttributeError, OSError):
        pass
    return found
