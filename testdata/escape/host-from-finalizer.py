# trick: call the host from finalizers, weak reference callbacks and trace functions in the middle of another host call
# want: nothing
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
    host, sys, weakref, found = reach("_host"), reach("sys"), reach("weakref"), []
    request = json.dumps({"connector": "a", "tool": "b", "arguments": {}}).encode()
    count = [0]

    def ask(*args):
        count[0] += 1
        if count[0] > 200:
            return None
        answer = host.call_tool(request)
        if b'"error"' not in answer:
            found.append(f"answer {answer[:60]!r}")
        return None

    class Finalized:
        def __del__(self):
            ask()

    class Request(bytes):
        def __del__(self):
            ask()

    for _ in range(5):
        thing = Finalized()
        thing.me = thing
        del thing
        weak = weakref.ref(Finalized(), ask)
        answer = host.call_tool(Request(request))
        if b'"error"' not in answer:
            found.append("an odd answer")
    monitoring = sys.monitoring
    monitoring.use_tool_id(2, "x")
    monitoring.register_callback(2, monitoring.events.CALL, ask)
    monitoring.set_events(2, monitoring.events.CALL)
    host.call_tool(request)
    monitoring.set_events(2, 0)
    reach("gc").collect()
    return sorted(set(found))
