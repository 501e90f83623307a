# trick: trip the interrupt flag and handlers from inside, then hope for it to strike in the host's own code afterwards
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
        reach("_thread").interrupt_main()
        for _ in range(1000):
            pass
    except BaseException as e:
        return [type(e).__name__]
    return []
