# trick: look at unreachable objects, uncollectable garbage and resurrected objects of an earlier run
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


def run(ctx):
    gc = reach("gc")
    found = []
    gc.set_debug(gc.DEBUG_SAVEALL)
    gc.collect()
    gc.set_debug(0)
    for o in gc.garbage:
        if "Pollut" in type(o).__name__ or "POLLUTION" in str(o)[:200]:
            found.append("garbage of type " + type(o).__name__)
    gc.garbage.clear()
    for o in walk():
        if type(o).__name__ == "RunlacePolluter" or type(o) is type and o.__name__ == "RunlacePolluter":
            found.append("a " + type(o).__name__)
    return sorted(set(found))
