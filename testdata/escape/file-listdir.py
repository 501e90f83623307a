# trick: list folders with listdir and scandir, by name, by descriptor and by default
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
    for target in ("/", ".", "..", "/etc", "/proc/self/fd", "/tmp", "/stdlib", b"/", None, *range(3, 24)):
        for name in ("listdir", "scandir"):
            try:
                entries = list(getattr(posix, name)(target))
            except (OSError, TypeError, NotImplementedError):
                continue
            found.append(f"{name}({target!r}): {len(entries)} entries")
    return found
