# trick: register exit handlers that change the output and call the host after run has returned
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
    out, host = [], reach("_host")
    atexit = reach("atexit")

    def late():
        out.append("an exit handler ran before the output was taken")
        host.call_tool(b"{}")

    atexit.register(late)
    reach("threading")._register_atexit(late)
    return out
