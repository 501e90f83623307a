# trick: take string hashes and the order of sets as randomness
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


def run(ctx):
    words = ["".join(chr(97 + (i * j) % 26) for j in range(1, 9)) for i in range(100)]
    sys = reach("sys")
    return [hash("abc"), hash(b"abc"), hash(("a", 1.5)), list(set(words)), list(frozenset(words))[:5], hash(float("nan")), hash(float("inf")),
            hash(2.5), str(sys.hash_info), str(sys.flags), sys.getsizeof({})]
