# trick: mix up the answers of two requests: ask in a finalizer between a request and its answer, and compare
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
    host, found = reach("_host"), []
    for number in range(50):
        name = f"tool-{number}"
        request = json.dumps({"connector": "a", "tool": name, "arguments": {}}).encode()
        other = json.dumps({"connector": "b", "tool": "other", "arguments": {}}).encode()

        class Between(bytes):
            def __del__(self):
                host.call_tool(other)

        first = host.call_tool(Between(request))
        second = host.call_tool(request)
        if first != second:
            found.append(f"{first[:80]!r} but then {second[:80]!r}")
    return found[:3]
