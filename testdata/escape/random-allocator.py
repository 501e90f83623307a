# trick: read the allocator's own statistics
# want: same


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
    sys._debugmallocstats()
    return [sys.getallocatedblocks(), [sys.getrefcount(o) for o in (None, 1, "", (), run, ctx, sys)], sys.getsizeof(ctx)]
