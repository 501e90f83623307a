# trick: look for an earlier run's attributes on every module, in builtins, in __main__ and among the modules
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
    sys = reach("sys")
    found = [name for name in list(sys.modules) if "pollution" in name]
    for name, module in list(sys.modules.items()):
        for key in list(getattr(module, "__dict__", ())):
            if "pollution" in key:
                found.append(f"{name}.{key}")
    if hasattr(reach("builtins"), "runlace_kept"):
        found.append("builtins.runlace_kept")
    return found
