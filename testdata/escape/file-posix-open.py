# trick: open, stat and read with the posix module, reached through json.codecs.sys.modules
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
    flags = {"read only": 0, "directory": getattr(posix, "O_DIRECTORY", 0), "create": getattr(posix, "O_CREAT", 0) | getattr(posix, "O_RDWR", 0),
             "path": getattr(posix, "O_PATH", 0), "nofollow": getattr(posix, "O_NOFOLLOW", 0)}
    for path in ("/etc/passwd", "/proc/self/environ", "/proc/self/exe", "/dev/urandom", "/", ".", "..", "", "/tmp/runlace-escape-posix-open"):
        for kind, flag in flags.items():
            try:
                fd = posix.open(path, flag)
            except (OSError, ValueError):
                continue
            found.append(f"{path!r} opened ({kind})")
            posix.close(fd)
    try:
        posix.unlink("/tmp/runlace-escape-posix-open")
    except OSError:
        pass
    return found
