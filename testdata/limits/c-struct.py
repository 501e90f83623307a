# hostile: pack and unpack large structures
# want: cpu-limit
# line: 22-23


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
    struct = reach("_struct")
    while True:
        struct.unpack('1000000b', struct.pack('1000000x'))
