# trick: read, seek and stat descriptors that the host may have left open, from 3 to 63, and some absurd ones
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
        posix.close(posix.open("/etc/passwd", 0))
        found.append("a descriptor could be opened")
    except OSError:
        pass
    for fd in (*range(3, 64), 100, 255, 1000, 1023, 65535, 2**31 - 1, -1, -100, -3):
        for name, act in (("read", lambda: posix.read(fd, 16)), ("fstat", lambda: posix.fstat(fd)), ("lseek", lambda: posix.lseek(fd, 0, 0)),
                          ("pread", lambda: posix.pread(fd, 16, 0)), ("isatty", lambda: posix.isatty(fd) or posix.nosuch)):
            try:
                act()
            except (OSError, AttributeError, OverflowError):
                continue
            found.append(f"{name}({fd})")
    return found
