# trick: create built-in modules with _imp.create_builtin and a made-up spec, second copies included
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
    imp = reach("_imp")

    class Spec:
        def __init__(self, name):
            self.name, self.origin, self.loader = name, "built-in", None
            self.submodule_search_locations = self.parent = None

    found = []
    for name in ("posix", "_socket", "_posixsubprocess", "select", "mmap", "_ctypes", "_interpreters", "_thread", "_io", "sys", "_host"):
        try:
            module = imp.create_builtin(Spec(name))
            if module is None:
                continue
            imp.exec_builtin(module)
        except (ImportError, SystemError, AttributeError, TypeError):
            continue
        if name == "posix":
            found += look(module)
        elif name == "_io":
            try:
                module.FileIO("/etc/passwd").close()
                found.append("a second _io opened a file")
            except OSError:
                pass
        elif name in ("_socket", "_posixsubprocess", "select", "mmap", "_ctypes"):
            found.append(name)
    return found
