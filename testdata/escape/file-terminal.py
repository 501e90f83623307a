# trick: find a terminal: isatty, ttyname, the terminal's size, the control characters of the host's screen
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
    posix, found = reach("posix"), []
    for fd in range(0, 20):
        for name in ("isatty", "ttyname", "get_terminal_size", "tcgetpgrp", "get_blocking"):
            try:
                value = getattr(posix, name)(fd)
            except (AttributeError, OSError):
                continue
            if value and name != "get_blocking":
                found.append(f"{name}({fd}) = {value!r}")
    for name in ("termios", "curses", "_curses", "readline", "tty", "pty", "msvcrt"):
        try:
            reach(name)
            found.append("module " + name)
        except (ImportError, OSError):
            pass
    try:
        posix.open("/dev/tty", 0)
        found.append("/dev/tty")
    except OSError:
        pass
    return found
