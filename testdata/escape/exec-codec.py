# trick: register codecs and error handlers that run code, and look up codecs by names that are paths of modules
# want: nothing
# native: finds
import json


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
    codecs, found = json.codecs, []
    for name in ("../../etc/passwd", "/etc/passwd", "os", "posix", "encodings", "..os", ".os", "antigravity", "socket", "mbcs", "oem", "\0", "x" * 10000, "subprocess"):
        try:
            info = codecs.lookup(name)
            found.append(f"codec {name[:20]!r} is {info.name}")
        except (LookupError, ValueError, TypeError):
            pass
    sys = reach("sys")
    for name in ("encodings.os", "encodings.posix", "encodings.socket", "encodings.__pycache__"):
        if sys.modules.get(name) is not None:
            found.append(name)
    codecs.register_error("runlace-open", lambda e: (open("/etc/passwd").read(3), e.end))
    try:
        found.append(b"\xff".decode("ascii", "runlace-open"))
    except OSError:
        pass
    return found
