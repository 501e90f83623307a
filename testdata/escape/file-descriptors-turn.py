# trick: duplicate, renumber, pipe and truncate descriptors
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

    def attempt(name, *args):
        try:
            result = getattr(posix, name)(*args)
        except (AttributeError, OSError):
            return
        found.append(f"{name}{args} gave {result!r}")

    attempt("dup", 0)
    attempt("pipe")
    attempt("memfd_create", "x")
    attempt("eventfd", 1)
    attempt("openpty")
    for fd in range(3, 20):
        attempt("dup2", fd, fd + 20)
        attempt("ftruncate", fd, 0)
        attempt("fsync", fd)
        attempt("fchdir", fd)
    return found
