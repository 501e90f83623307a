# trick: import every module that could lead outside, by the interpreter's own machinery
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
    for name in ("_socket", "_ssl", "select", "fcntl", "mmap", "termios", "resource", "syslog", "grp", "pwd", "_posixsubprocess", "_posixshmem", "_multiprocessing",
                 "_ctypes", "ctypes", "_testcapi", "_testinternalcapi", "_interpreters", "_interpchannels", "_xxsubinterpreters", "readline", "_curses", "_tkinter", "_sqlite3", "_dbm",
                 "_gdbm", "_crypt", "nis", "ossaudiodev", "_scproxy", "_winapi", "msvcrt", "winreg", "nt", "cffi", "_cffi_backend", "numpy", "pip", "setuptools", "_remote_debugging"):
        try:
            reach(name)
        except (ImportError, OSError):
            continue
        found.append(name)
    return found
