# hostile: an import that imports
# want: recursion-limit


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
    builtins = reach("builtins")

    def again(*args, **keywords):
        return again(*args, **keywords)

    builtins.__import__ = again
    import json
    return 1
