# trick: look for an earlier run's entries in the caches of the standard library
# want: nothing
# native: finds
import re
import typing
import urllib.parse
import zoneinfo


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


def walk(limit=200000):
    """Every object that can be reached from the loaded modules and the collector's lists, what it has frozen included."""
    import json
    gc = json.codecs.sys.modules["gc"]
    skip = {id(gc), id(walk)}
    seen = {}
    todo = [json.codecs.sys.modules, object, *gc.get_objects()]
    skip |= {id(seen), id(todo), id(skip)}
    while todo and len(seen) < limit:
        thing = todo.pop()
        if id(thing) in seen or id(thing) in skip:
            continue
        seen[id(thing)] = thing
        todo += gc.get_referents(thing)
    return list(seen.values())


def needle():
    """What the polluting run plants, put together here so that this file does not hold it; a digit follows it there."""
    return "-".join(("RUN" + "lace".upper(), "noitullop"[::-1].upper(), ""))


def run(ctx):
    found, word = [], needle()
    for name in ("_cache", "_cache2"):
        if any(word in str(key) for key in getattr(re, name, ())):
            found.append("re." + name)
    gc = reach("gc")
    for o in walk():
        if type(o).__name__ == "_lru_cache_wrapper":
            for inner in gc.get_referents(o):
                if type(inner) is dict and any(word in str(key)[:500] or "RunlacePolluter" in str(key)[:500] for key in list(inner)):
                    found.append(f"cache of {getattr(o, '__name__', o)}")
    try:
        if getattr(zoneinfo.ZoneInfo("Europe/Paris"), "runlace_pollution", None):
            found.append("time zone")
    except zoneinfo.ZoneInfoNotFoundError:
        found.append("time zones are gone")
    for cls in (reach("collections.abc").Sequence, reach("numbers").Number):
        registry = reach("_abc")._get_dump(cls)
        if any("RunlacePolluter" in str(ref) for part in registry[:3] for ref in part):
            found.append("abc registry of " + cls.__name__)
    return found
