# trick: collect the values of all clocks, for a comparison with another run
# want: same
# native: finds
import time
import uuid
from datetime import datetime, timezone


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
    values = [time.time_ns(), time.monotonic_ns(), time.perf_counter_ns(), time.process_time_ns(), datetime.now(timezone.utc).isoformat(),
              str(uuid.uuid1()), time.ctime(), str(time.localtime())]
    for name in ("monotonic", "perf_counter", "process_time", "time", "thread_time"):
        try:
            values.append(str(time.get_clock_info(name)))
        except (ValueError, OSError):
            pass
    try:
        values.append(list(reach("posix").times()))
    except (AttributeError, OSError):
        pass
    return values
