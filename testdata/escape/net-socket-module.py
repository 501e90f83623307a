# trick: import the socket modules in every way and make a socket
# want: nothing
# native: finds


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
    for name in ("_socket", "socket", "_ssl", "ssl", "select", "selectors", "_asyncio", "asyncio", "socketserver"):
        try:
            module = reach(name)
        except (ImportError, OSError):
            continue
        if name in ("_socket", "socket"):
            try:
                module.socket().close()
                found.append(name + ".socket()")
            except (OSError, AttributeError):
                pass
        elif name in ("_ssl", "select"):
            found.append(name)
    return found
