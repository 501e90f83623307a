# trick: put a finder of our own first on the meta path and let it answer for refused names
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
    sys, found = reach("sys"), []
    bootstrap = reach("_frozen_importlib")

    class Loader:
        @staticmethod
        def create_module(spec):
            return None

        @staticmethod
        def exec_module(module):
            exec("import posix\nopen_file = open", module.__dict__)

    class Finder:
        @staticmethod
        def find_spec(name, path=None, target=None):
            if name == "pathfinder_of_runlace":
                return bootstrap.ModuleSpec(name, Loader)
            return None

    sys.meta_path.insert(0, Finder)
    try:
        module = bootstrap._gcd_import("pathfinder_of_runlace")
        found += look(module.posix)
        try:
            module.open_file("/etc/passwd").close()
            found.append("open in a module of ours")
        except OSError:
            pass
    except ImportError:
        pass
    return found
