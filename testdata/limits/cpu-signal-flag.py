# hostile: set the interrupt flag for ever and catch what comes of it
# want: cpu-limit
# line: 22-28


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
    thread = reach("_thread")
    while True:
        try:
            thread.interrupt_main()
            for _ in range(10):
                pass
        except BaseException:
            pass
