# trick: look for names that an earlier run interned, by their identity and by the count of interned texts
# want: nothing
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


def needle():
    """What the polluting run plants, put together here so that this file does not hold it; a digit follows it there."""
    return "-".join(("RUN" + "lace".upper(), "noitullop"[::-1].upper(), ""))


def run(ctx):
    sys, found = reach("sys"), []
    gc = reach("gc")
    for o in gc.get_objects():
        if type(o) is dict:
            for key in list(o):
                if type(key) is str and key.startswith(needle()[:8]) and len(key) > 18 and key[18:19].isdigit():
                    found.append(key)
    word = needle().replace("-", "_")
    for number in range(1, 3000):
        name = f"{word}{number:05d}"
        count = sys.getunicodeinternedsize(_only_immortal=False) if False else sys.getrefcount(sys.intern(name))
        if count > 6:
            found.append(name)
    return found[:5]
