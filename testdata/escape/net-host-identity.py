# trick: learn the name or the hardware address of the machine
# want: nothing
# native: finds
import uuid


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
    node = uuid.getnode()
    if not node >> 40 & 1:
        found.append(f"hardware address {node:012x}")
    node = uuid.uuid1().node
    if not node >> 40 & 1:
        found.append(f"hardware address in uuid1 {node:012x}")
    for name, act in (("platform.node", lambda: reach("platform").node()), ("gethostname", lambda: reach("socket").gethostname()),
                      ("uname", lambda: reach("posix").uname().nodename), ("release", lambda: reach("posix").uname().release)):
        try:
            value = act()
        except (ImportError, AttributeError, OSError):
            continue
        if value not in ("", "(none)", "localhost", "0.0.0"):
            found.append(f"{name} {value}")
    return found
