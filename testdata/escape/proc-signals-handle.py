# trick: install handlers for all signals and timers that would interrupt the host
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
    try:
        signal = reach("signal")
    except ImportError:
        signal = reach("_signal")
    for name, args in (("alarm", (100,)), ("setitimer", (0, 100)), ("set_wakeup_fd", (1,)), ("pidfd_send_signal", (1, 0))):
        try:
            value = getattr(signal, name)(*args)
        except (AttributeError, OSError, ValueError, TypeError, RuntimeError):
            continue
        found.append(f"{name}{args} gave {value}")
    if hasattr(signal, "alarm"):
        signal.alarm(0)
    for number in range(1, 65):
        try:
            signal.signal(number, lambda *a: found.append("a handler ran"))
        except (OSError, ValueError):
            pass
    for i in range(10000):
        pass
    return found
