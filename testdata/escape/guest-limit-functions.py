# trick: find the functions that change limits and tracing, which the guest has taken away: by a second sys, among all objects
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


def original_sys():
    """The module sys with what the guest took away from it: the import system keeps a copy of its names."""
    sys = reach("sys")
    if not hasattr(sys, "setrecursionlimit"):
        spec = type("Spec", (), {"name": "sys", "origin": "built-in", "loader": None, "submodule_search_locations": None, "parent": None})
        try:
            return reach("_imp").create_builtin(spec)
        except Exception as e:
            print("no second sys:", type(e).__name__)
    return sys


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
    names = ("setrecursionlimit", "settrace", "setprofile", "_settraceallthreads", "_setprofileallthreads")
    sys, found = original_sys(), set()
    found.update("sys." + name for name in names if hasattr(sys, name))
    for o in walk():
        if type(o).__name__ == "builtin_function_or_method" and o.__name__ in names:
            found.add("an object " + o.__name__)
    return sorted(found)
