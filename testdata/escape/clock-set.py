# trick: set the clock
# want: nothing
# native: finds
import time


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
    before = time.time_ns()
    # Set to what it shows, so that a clock that can be set is not set wrong.
    clock = getattr(time, "CLOCK_REALTIME", 0)
    for name, args in (("clock_settime", (clock, before / 1e9)), ("clock_settime_ns", (clock, before))):
        try:
            getattr(time, name)(*args)
            found.append(name)
        except (AttributeError, OSError):
            pass
    if time.time_ns() < before:
        found.append("the clock went back")
    return found
