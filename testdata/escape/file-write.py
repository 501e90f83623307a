# trick: create and append to files in all writable places
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
    found = []
    for folder in ("", ".", "/", "/tmp", "/var/tmp", "/dev/shm", "/root", "/home", "C:\\Temp"):
        path = (folder + "/" if folder else "") + "runlace-escape-file-write"
        for mode in ("w", "wb", "a", "x", "r+", "w+"):
            try:
                with open(path, mode) as f:
                    f.write("x" if "b" not in mode else b"x")
            except OSError:
                continue
            found.append(f"{mode} {path}")
            reach("posix").unlink(path)
    return found
