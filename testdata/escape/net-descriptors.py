# trick: use descriptors as if they were sockets: sendfile, fromfd, polling, accept through the C library
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
    for fd in range(3, 24):
        for name, args in (("sendfile", (fd, fd + 1, 0, 1)), ("writev", (fd, [b"x"])), ("readv", (fd, [bytearray(1)])), ("set_blocking", (fd, False)),
                           ("fstat", (fd,))):
            try:
                getattr(posix, name)(*args)
            except (AttributeError, OSError):
                continue
            found.append(f"{name}({fd})")
    for module, name in (("select", "select"), ("select", "poll"), ("select", "epoll"), ("socket", "socketpair")):
        try:
            getattr(reach(module), name)
            found.append(f"{module}.{name}")
        except (ImportError, AttributeError, OSError):
            pass
    return found
