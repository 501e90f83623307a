# trick: read the wall clock by every name: it must be the start time that the run was given, and stay there
# want: nothing
# native: finds
import time
from datetime import datetime, timezone, date


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
    begin = time.time_ns()
    at = ctx.inputs.get("at")
    if at:
        start = datetime.fromisoformat(at.replace("Z", "+00:00"))
        delta = start - datetime(1970, 1, 1, tzinfo=timezone.utc)
        given = (delta.days * 86400 + delta.seconds) * 10**9 + delta.microseconds * 1000
        if abs(begin - given) >= 1000:
            found.append(f"the clock is {begin - given} ns away from the start time of the run")
    for i in range(100000):
        pass
    second = begin // 10**9
    readings = {
        "time_ns": time.time_ns() == begin,
        "time": abs(time.time() * 1e9 - begin) < 1000,
        "datetime.now": datetime.now(timezone.utc) == datetime.fromtimestamp(0, timezone.utc) + (datetime.fromtimestamp(second, timezone.utc) - datetime.fromtimestamp(0, timezone.utc)).__class__(seconds=second, microseconds=begin % 10**9 // 1000),
        "utcnow": datetime.utcnow() == datetime.now(timezone.utc).replace(tzinfo=None),
        "clock_gettime_ns": not hasattr(time, "clock_gettime_ns") or time.clock_gettime_ns(time.CLOCK_REALTIME) == begin,
        "gmtime": time.mktime(time.localtime()) == second,
        "today": date.today() == datetime.fromtimestamp(second).date(),
        "ctime": time.ctime() == time.ctime(second),
        "strftime": time.strftime("%S") == time.strftime("%S", time.localtime(second)),
    }
    return found + [f"{name} differs" for name, same in readings.items() if not same]
