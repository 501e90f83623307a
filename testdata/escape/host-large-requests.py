# trick: send the host requests above its size limit
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
    for size in (9 << 20, 50 << 20):
        request = b'{"connector":"a","tool":"b","arguments":{"x":"' + b"x" * size + b'"}}'
        for name in ("call_tool", "ask_model"):
            try:
                answer = getattr(host, name)(request)
            except Exception as e:
                print(name, size, type(e).__name__, e)
                continue
            if b'"error"' not in answer[:500]:
                found.append(f"{name} took {size} bytes")
    return found
