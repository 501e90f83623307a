# trick: run code objects from marshal, including damaged ones
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
    marshal = reach("marshal")
    code = compile("out = [1, 2, 'three', (4.0, None)]\nfor i in out: pass", "<m>", "exec")
    data = bytearray(marshal.dumps(code))
    results = []
    for at in range(0, len(data), 3):
        for bit in (1, 16, 64, 255):
            bad = bytes(data[:at]) + bytes((data[at] ^ bit,)) + bytes(data[at + 1:])
            try:
                thing = marshal.loads(bad)
                if type(thing) is type(code):
                    exec(thing, {})
                results.append(type(thing).__name__)
            except Exception as e:
                results.append(type(e).__name__)
    return results[-3:]
