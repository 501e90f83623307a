# hostile: an error in a finalizer, reported to a hook that loops
# want: cpu-limit
# line: 21-22


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


def forever(*args):
    while True:
        pass


class Bad:
    def __del__(self):
        raise ValueError("in a finalizer")


def run(ctx):
    sys = reach("sys")
    sys.unraisablehook = forever
    Bad()
    return 1
