# hostile: a literal nested deep, given to the safe evaluator of pprint and ast
# want: exception or recursion-limit or memory-limit
# line: 21


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
    return len(reach("ast").literal_eval('[' * 150 + ']' * 150)) + len(reach("ast").literal_eval('-' * 5000 + '1'))
