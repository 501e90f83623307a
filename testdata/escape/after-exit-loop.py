# trick: register exit handlers and finalizers that never end
# want: nothing


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


class Forever:
    pass


def run(ctx):
    weakref = reach("weakref")
    def forever():
        while True:
            pass

    reach("atexit").register(forever)
    reach("builtins").runlace_keep = keep = Forever()
    weakref.finalize(keep, forever)
    return []
