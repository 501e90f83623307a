# trick: fork the process by every name
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
    posix, found = reach("posix"), []
    for name in ("fork", "forkpty", "vfork", "fork1"):
        try:
            got = getattr(posix, name)()
        except (AttributeError, OSError):
            continue
        pid = got[0] if isinstance(got, tuple) else got
        if pid == 0:
            posix._exit(0)
        posix.waitpid(pid, 0)
        found.append(name)
    return found
