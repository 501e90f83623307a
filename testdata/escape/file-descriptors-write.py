# trick: write to every descriptor but the two of the log, and to the standard input
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
    posix = reach("posix")
    found = []
    try:
        fd = posix.open("/dev/null", 1)
        found.append("a descriptor for writing could be opened")
        posix.write(fd, b"x")
    except OSError:
        pass
    for fd in (0, *range(3, 64)):
        try:
            if posix.write(fd, b"written by a workflow\n") and fd >= 3:
                found.append(f"write({fd})")
        except OSError:
            pass
    return found
