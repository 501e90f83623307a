# trick: walk all subclasses of object for one whose functions know the posix module
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
    seen, todo, found = set(), [object], set()
    while todo:
        cls = todo.pop()
        try:
            subs = type.__subclasses__(cls)
        except TypeError:
            continue
        for sub in subs:
            if sub not in seen:
                seen.add(sub)
                todo.append(sub)
    print(len(seen), "classes")
    for cls in seen:
        for value in list(vars(cls).values()):
            names = getattr(value, "__globals__", None) or {}
            for name in ("posix", "os", "sys", "_os", "_sys"):
                module = names.get(name)
                if module is None:
                    continue
                if name in ("sys", "_sys"):
                    module = module.modules.get("posix")
                found.update(f"{name}: {what}" for what in look(module))
    return sorted(found)
