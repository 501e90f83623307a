# trick: send signals to this and other processes
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
    os, found = reach("os"), []
    for name, args in (("kill", (0, 0)), ("kill", (1, 0)), ("killpg", (0, 0)), ("nice", (0,)), ("setpriority", (0, 0, 0)), ("waitpid", (-1, 1)),
                       ("ptrace", ()), ("setsid", ()), ("setuid", (0,)), ("umask", (0o022,))):
        try:
            getattr(os, name)(*args)
        except (AttributeError, TypeError):
            continue
        except OSError:
            if name.startswith("kill") and os.path.exists("/"):
                found.append(f"{name}{args} asked the system")
            continue
        found.append(f"{name}{args}")
    return found
