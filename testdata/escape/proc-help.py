# trick: start the pager or the interactive help
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
    for name in ("help", "license", "credits", "copyright", "exit", "quit"):
        thing = getattr(reach("builtins"), name, None)
        try:
            if name in ("exit", "quit"):
                thing()
            elif name == "help":
                thing(len)
            else:
                thing._Printer__filenames = ["/etc/passwd"]
                thing._Printer__lines = None
                thing._Printer__setup()
                if any("root" in line for line in thing._Printer__lines):
                    found.append(f"{name}() read a file")
        except (TypeError, AttributeError, ImportError, OSError, SystemExit, ValueError):
            pass
    return found
