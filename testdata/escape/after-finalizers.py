# trick: leave objects whose finalizers change the output or call the host when run's frame is torn down
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
    host = reach("_host")
    out = ["start"]

    class Late:
        def __del__(self):
            out.append("finalized")
            try:
                host.call_tool(b'{"connector":"late","tool":"late","arguments":{}}')
            except Exception as e:
                out.append(type(e).__name__)

    late = Late()
    cycle = Late()
    cycle.me = cycle
    return out
