# trick: leave locks held and states set, so that the next run would wait for ever
# want: any


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
    thread, sys = reach("_thread"), reach("sys")
    held = []
    for o in walk():
        if type(o).__name__ in ("lock", "RLock", "_ModuleLock") and hasattr(o, "acquire"):
            try:
                if type(o).__name__ == "lock":
                    o.acquire(False)
                else:
                    o.acquire()
                held.append(type(o).__name__)
            except Exception as e:
                held.append(type(e).__name__)
    reach("_imp").acquire_lock()
    for name in ("stdin", "stdout", "stderr"):
        stream = getattr(sys, name, None)
        if stream is not None and hasattr(stream, "detach"):
            try:
                stream.detach()
            except Exception as e:
                held.append(type(e).__name__)
    thread.allocate_lock().acquire()
    return sorted(set(held))
