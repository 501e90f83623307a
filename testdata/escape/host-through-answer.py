# trick: replace the JSON decoder of the guest, in the hope that an answer of the host is then trusted as code
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
    found = []
    seen = []

    class Spy(dict):
        pass

    json.loads = lambda text, **k: seen.append(text) or Spy(value="forged")
    json.JSONDecoder.decode = lambda self, text, **k: Spy(value="forged")
    reach("_json").scanstring = None
    try:
        result = ctx.nosuch.tool(path="/etc/passwd")
        if result != "forged":
            found.append(f"a tool answered {result!r}")
    except Exception as e:
        print(type(e).__name__, e)
    return found
