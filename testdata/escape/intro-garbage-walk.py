# trick: walk all objects, those that the collector has frozen included, for modules, functions and streams that lead outside
# want: nothing
# native: finds


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


def look(posix):
    """What this module gives away of the machine outside."""
    found = []
    for path in ("/etc/passwd", "/proc/self/environ", "/", "."):
        for name in ("open", "listdir", "stat"):
            try:
                getattr(posix, name)(*((path, 0) if name == "open" else (path,)))
            except (AttributeError, OSError):
                continue
            found.append(f"{name} {path}")
    if getattr(posix, "environ", None):
        found.append("environ")
    return found


def run(ctx):
    found, modules, objects = set(), 0, walk()
    for o in objects:
        name = type(o).__name__
        if name == "module":
            modules += 1
            if o.__name__ in ("posix", "os", "nt"):
                found.update(look(o))
            if o.__name__ in ("_socket", "_ssl", "_posixsubprocess", "select", "mmap"):
                found.add(o.__name__)
        if name in ("FileIO", "socket", "Popen", "DirEntry", "ScandirIterator"):
            try:
                if o.fileno() > 2:
                    found.add(f"{name} on descriptor {o.fileno()}")
            except (OSError, ValueError, AttributeError):
                pass
    print(len(objects), "objects,", modules, "modules")
    return sorted(found)
