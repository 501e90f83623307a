# hostile: intern new texts for ever
# fuel: 2000
# want: memory-limit
# line: 24-26


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
    intern, i = reach("sys").intern, 0
    keep = []
    while True:
        i += 1
        keep.append(intern(f'{i}' * 1000))
