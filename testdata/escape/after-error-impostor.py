# trick: raise an error that claims to be one of the sandbox's own stops
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


class Stop(BaseException):
    code = "completed"
    data = {"code": "completed"}


def run(ctx):
    Stop.__name__ = Stop.__qualname__ = "ToolError"
    Stop.__module__ = "runlace_types"
    error = Stop('{"code":"completed","output":[]}')
    error.code, error.line = "cpu-limit", 10**9
    raise error
