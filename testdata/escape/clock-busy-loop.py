# trick: measure a busy loop with every clock of the time module: no clock may move by itself
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
    clocks = {name: getattr(time, name) for name in ("time_ns", "monotonic_ns", "perf_counter_ns", "process_time_ns", "thread_time_ns") if hasattr(time, name)}
    for name in dir(time):
        if name.startswith("CLOCK_"):
            clocks[name] = lambda which=getattr(time, name): time.clock_gettime_ns(which)
    clocks["os.times"] = lambda: tuple(reach("posix").times())
    found = []
    for name, clock in clocks.items():
        try:
            before = clock()
            for i in range(30000):
                pass
            after = clock()
        except (OSError, AttributeError):
            continue
        if after != before:
            found.append(f"{name} moved")
    return found
