# trick: measure with the second sources of time: datetime, uuid1, the profiler, thread waits, default seeds, strptime
# want: nothing
# native: finds
import time
import uuid
from datetime import datetime


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

    def spin():
        for i in range(30000):
            pass

    def moved(name, clock):
        try:
            before = clock()
            spin()
            if clock() != before:
                found.append(name + " moved")
        except (ImportError, AttributeError, OSError, RuntimeError):
            pass

    moved("datetime.now", datetime.now)
    moved("datetime.utcnow", datetime.utcnow)
    moved("localtime", lambda: (time.localtime(), time.time()))
    # A uuid1 is one tick later than the last one when the clock has not moved; two ticks or more tell that it has.
    first = uuid.uuid1().time
    spin()
    if uuid.uuid1().time - first > 1:
        found.append("uuid1 moved")
    try:
        profile = reach("_lsprof").Profiler()
        profile.enable()
        spin()
        profile.disable()
        if any(entry.totaltime for entry in profile.getstats()):
            found.append("the profiler measured time")
    except (ImportError, AttributeError):
        pass
    return found
