# trick: let faulthandler's watchdog thread write later, after the run
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
    try:
        faulthandler = reach("faulthandler")
        faulthandler.dump_traceback_later(0.01, repeat=True, file=1)
    except (ImportError, AttributeError, RuntimeError, OSError, ValueError, TypeError):
        return []
    faulthandler.cancel_dump_traceback_later()
    return ["a watchdog thread started"]
