# hostile: intersections of sets whose members collide
# want: cpu-limit
# line: 22-25


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
    a = {i * modulus for i in range(3000)}
    b = {i * modulus for i in range(1, 3001)}
    while True:
        a & b
