# trick: look for host functions beyond the known ones and call each with junk
# want: nothing


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
    host, found = reach("_host"), []
    for name in dir(host):
        if name.startswith("__") or name in ("call_tool", "ask_model", "write_log", "encode"):
            continue
        value = getattr(host, name)
        if not callable(value):
            continue
        if isinstance(value, type) and issubclass(value, BaseException):
            continue
        for args in ((), (b"",), (b"{}",), (0,), (1, b"x"), ("/etc/passwd",), (b"/etc/passwd",)):
            try:
                found.append(f"{name}{args} gave {value(*args)!r}"[:100])
            except Exception:
                pass
    return found
