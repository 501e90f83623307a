# trick: crash on purpose with faulthandler's test functions
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
    try:
        faulthandler = reach("faulthandler")
    except ImportError:
        return []
    for name in ("_read_null", "_stack_overflow", "_sigabrt", "_sigsegv", "_fatal_error_c_thread", "_sigfpe"):
        try:
            getattr(faulthandler, name)()
        except (AttributeError, TypeError):
            pass
    return ["survived"]
