# trick: look for an earlier run's changes to tables and switches inside modules
# want: nothing
# native: finds
import calendar
import copy
import csv
import html
import json
import math
import random
import string
import time
import urllib.parse
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
    sys = reach("sys")
    checks = {
        "sys.path": any("POLLUTION" in p for p in sys.path),
        "sys.argv": any("POLLUTION" in p for p in sys.argv),
        "sys.ps1": hasattr(sys, "ps1"),
        "meta path": any(getattr(f, "__name__", "") in ("mark", "mark_path") for f in sys.meta_path + sys.path_hooks),
        "importer cache": any("POLLUTION" in p for p in sys.path_importer_cache),
        "environ": bool([k for k in reach("os").environ if "POLLUTION" in k]),
        "ascii_letters": len(string.ascii_letters) != 52,
        "pi": math.pi == 3,
        "uses_netloc": any("POLLUTION" in s for s in urllib.parse.uses_netloc),
        "html5": any("POLLUTION" in k for k in html.entities.html5) if hasattr(html, "entities") else False,
        "dumps": json.dumps.__name__ != "dumps",
        "loads": json.loads.__name__ != "loads",
        "random": getattr(random.random, "__name__", "random") != "random",
        "time": time.time.__name__ != "time",
        "linecache": any("POLLUTION" in str(k) for k in reach("linecache").cache),
        "uuid": uuid._node == 42 or (uuid._last_timestamp or 0) > 2**59,
        "csv dialects": "runlace_pollution" in csv.list_dialects(),
        "csv limit": csv.field_size_limit() == 77,
        "calendar": calendar.firstweekday() != 0,
        "copyreg": any(c.__name__ == "RunlacePolluter" for c in reach("copyreg").dispatch_table),
        "deepcopy": any(getattr(c, "__name__", "") == "RunlacePolluter" for c in copy._deepcopy_dispatch),
    }
    return [name for name, bad in checks.items() if bad]
