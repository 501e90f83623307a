# trick: read the standard input of the host by every route
# want: nothing
# native: finds
import io


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
    found = []
    sys, posix = reach("sys"), reach("posix")
    routes = {
        "input": lambda: input("? "),
        "sys.stdin": lambda: sys.stdin.read(8),
        "sys.__stdin__": lambda: sys.__stdin__.buffer.raw.read(8),
        "open(0)": lambda: open(0, closefd=False).read(8),
        "FileIO(0)": lambda: io.FileIO(0, closefd=False).read(8),
        "posix.read": lambda: posix.read(0, 8),
    }
    for name, route in routes.items():
        try:
            got = route()
        except (EOFError, OSError, ValueError, AttributeError, RuntimeError):
            continue
        if got:
            found.append(f"{name}: {got!r}")
    return found
