# trick: call tools that no one granted, directly through _host, with names that try to be something else
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
    for connector in ("", "x", "../../etc", "/etc/passwd", "runlace", "shell", "fs", "__proto__", "ai", "*", "x\0y", "\u202e", "host"):
        for tool in ("", "read_file", "../../etc/passwd", "exec", "run", "*", "call_tool"):
            try:
                answer = json.loads(host.call_tool(json.dumps({"connector": connector, "tool": tool, "arguments": {"path": "/etc/passwd"}}).encode()))
            except (ValueError, SystemError) as e:
                print(connector, tool, e)
                continue
            if "error" not in answer:
                found.append(f"{connector}/{tool} answered {str(answer)[:60]}")
    return found
