# trick: take the context object apart: its class, its closures, its functions' globals, its host functions
# want: nothing
# native: finds


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
    found, todo, seen = set(), [ctx], set()
    while todo and len(seen) < 3000:
        thing = todo.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        names = []
        for attribute in ("__dict__", "__globals__", "__slots__", "__mro__", "__closure__", "__self__", "__func__", "__wrapped__", "__defaults__", "__kwdefaults__", "__class__"):
            try:
                value = object.__getattribute__(thing, attribute)
            except AttributeError:
                continue
            if isinstance(value, str):
                continue
            if type(value).__name__ in ("dict", "mappingproxy"):
                names += list(value.values())
            elif isinstance(value, tuple):
                names += list(value)
            else:
                names.append(value)
        if type(thing).__name__ == "cell":
            names.append(thing.cell_contents)
        if type(thing).__name__ == "module" and thing.__name__ in ("posix", "os"):
            found.update(look(thing))
        todo += [n for n in names if not isinstance(n, (str, int, float, bytes))]
    print(len(seen), "objects from ctx")
    return sorted(found)
