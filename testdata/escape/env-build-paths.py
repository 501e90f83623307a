# trick: look for paths of real machines in module files, code objects, version strings and build settings
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
    sys, found = reach("sys"), set()
    texts = [sys.version, repr(sys.implementation), repr(sys.path), repr(sys.meta_path)]
    for name, module in list(sys.modules.items()):
        texts.append(str(getattr(module, "__file__", "")))
        texts.append(str(getattr(module, "__cached__", "")))
        texts.append(str(getattr(module, "__path__", "")))
        for value in list(vars(module).values()):
            code = getattr(value, "__code__", None)
            if code is not None:
                texts.append(str(getattr(code, "co_filename", "")))
    try:
        sysconfig = reach("sysconfig")
        texts += map(str, sysconfig.get_config_vars().values())
        texts += map(str, sysconfig.get_paths().values())
    except Exception:
        pass
    for text in texts:
        for mark in ("/home/", "/ro" "ot/", "/Users/", "/wo" "rk/", "/tmp/", "C:\\", "/usr/lib", "/usr/local/", ".pyenv"):
            if mark in text:
                found.add(f"{mark} in {text[:80]}")
    return sorted(found)[:20]
