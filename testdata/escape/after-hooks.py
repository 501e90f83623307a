# trick: fail with hooks for uncaught errors in place, which swallow the error or raise their own
# want: exception


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

    def hook(*args):
        raise SystemExit(0)

    sys.excepthook = hook
    sys.unraisablehook = hook
    sys.displayhook = hook
    reach("traceback").print_exception = hook
    reach("traceback").format_exception = hook
    raise ValueError("not swallowed")
