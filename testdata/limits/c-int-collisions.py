# hostile: a dict of whole numbers that collide by arithmetic
# want: cpu-limit
# line: 23-24


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
    modulus = reach("sys").hash_info.modulus
    table = {}
    for i in range(10**6):
        table[i * modulus] = i
