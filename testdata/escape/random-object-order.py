# trick: take the order of objects by address, of the collector's lists and of weak sets as randomness
# want: same
# native: finds


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


def run(ctx):
    gc = reach("gc")
    objects = gc.get_objects()
    kinds = {}
    for o in objects:
        kinds[type(o).__name__] = kinds.get(type(o).__name__, 0) + 1
    things = [Thing() for _ in range(50)]
    weak = reach("weakref").WeakSet(things)
    digest = 0
    for o in objects:
        digest = (digest * 31 + id(o)) % (1 << 61)
    order = [things.index(t) for t in weak]
    return [len(objects), digest, order, sorted(kinds.items()), gc.get_count(), gc.get_stats(), gc.get_freeze_count()]
