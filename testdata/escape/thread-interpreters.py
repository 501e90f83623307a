# trick: make a second interpreter in the same process
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


def run(ctx):
    found = []
    for name in ("_interpreters", "_xxsubinterpreters", "interpreters", "concurrent.interpreters"):
        try:
            module = reach(name)
            number = module.create()
            found.append(f"{name} created {number}")
        except (ImportError, AttributeError, RuntimeError):
            pass
    return found
