# hostile: warn for ever
# want: log-limit
# line: 23-25


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
    warnings, i = reach("warnings"), 0
    warnings.simplefilter('always')
    while True:
        i += 1
        warnings.warn('warning ' * 100 + str(i))
