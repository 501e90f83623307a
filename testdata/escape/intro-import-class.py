# trick: find the importer of built-in modules among the subclasses of object and load posix and _socket with it
# want: nothing
# native: finds


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
    found = []
    for cls in ().__class__.__base__.__subclasses__():
        if cls.__name__ == "BuiltinImporter":
            for name in ("posix", "_socket", "_posixsubprocess", "select", "mmap", "_ctypes", "fcntl"):
                try:
                    module = cls.load_module(name)
                except ImportError:
                    continue
                found += look(module) if name == "posix" else [name]
    return found
