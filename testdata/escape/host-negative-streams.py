# trick: hope that a log stream number is passed on as a file descriptor of the host
# want: nothing


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
    host, found = reach("_host"), []
    for stream in (0, 3, 4, 5, 7, 10, -1, 1000, 2**31 - 1, -(2**31)):
        try:
            host.write_log(stream, "")
        except Exception:
            continue
        print("stream", stream, "was accepted and must have gone nowhere")
    posix = reach("posix")
    for fd in (3, 4, 5, 7, 10, -1):
        try:
            posix.write(fd, b"x")
            found.append(f"descriptor {fd}")
        except OSError:
            pass
    return found
