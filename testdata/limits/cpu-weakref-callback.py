# hostile: a weak reference whose callback loops
# want: cpu-limit
# line: 25-26


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


class Thing:
    pass


def forever(ref):
    while True:
        pass


def run(ctx):
    thing = Thing()
    ref = reach("weakref").ref(thing, forever)
    del thing
    return 1
