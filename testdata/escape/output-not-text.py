# trick: make the encoder give things that are not text at all
# want: any
import json


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


class Text(str):
    def encode(self, *args):
        return 5

    def __len__(self):
        return -7


def run(ctx):
    for module in list(reach("sys").modules.values()):
        for name in ("dumps", "_dumps"):
            if hasattr(module, name):
                setattr(module, name, lambda *a, **k: Text("x"))
    json.JSONEncoder.encode = lambda self, o: 12345
    json.JSONEncoder.iterencode = lambda self, o, *a: iter([1, None])
    return {"x": 1}
