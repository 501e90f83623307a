# trick: make the encoder give texts that are not JSON, hoping that the host passes them on
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


def run(ctx):
    for module in list(reach("sys").modules.values()):
        for name in ("dumps", "_dumps", "c_make_encoder"):
            if hasattr(module, name):
                setattr(module, name, lambda *a, **k: '{"open": [1, 2\x00\ud800')
    json.JSONEncoder.encode = lambda self, o: '{"open": [1, 2'
    return {"x": 1}
