# trick: act at import time of the workflow, before run is called, and leave no run behind at the end
# want: missing-run


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

FOUND = []
try:
    FOUND += reach("posix").listdir("/")
except OSError:
    pass


def run(ctx):
    return FOUND


del run
