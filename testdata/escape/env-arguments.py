# trick: look for the command line, the executable and the folders of the host in sys
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
    sys, found = reach("sys"), []
    for name in ("argv", "orig_argv", "path", "warnoptions"):
        for item in getattr(sys, name, ()):
            if item not in ("", "-c", "python"):
                found.append(f"sys.{name}: {item}")
    for name in ("executable", "_base_executable", "prefix", "base_prefix", "exec_prefix", "base_exec_prefix", "pycache_prefix"):
        if getattr(sys, name, None) not in (None, "", "/"):
            found.append(f"sys.{name}: {getattr(sys, name)}")
    if sys._xoptions:
        found.append("-X options")
    return found
