# trick: use the time limit of a lock as a clock: no thread can open it, so the wait must end in fuel and not in the real world
# want: cpu-limit
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
    lock = reach("_thread").allocate_lock()
    lock.acquire()
    before = time.time_ns()
    rounds = 0
    try:
        got = lock.acquire(True, 0.05)
    except (RuntimeError, OverflowError, ValueError):
        return []
    found = ["a held lock was given twice"] if got else []
    after = time.time_ns()
    if after - before not in (0, 50_000_000):
        found.append(f"waited {after - before} ns")
    return found
