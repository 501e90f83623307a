# trick: reach the caller's frame through a generator, a coroutine and an async generator that look at themselves
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
    found, frames = [], []

    def looker():
        frames.append(generator.gi_frame)
        yield

    async def waiter():
        frames.append(coroutine.cr_frame)

    async def agen():
        frames.append(g.ag_frame)
        yield 1

    generator, coroutine, g = looker(), waiter(), agen()
    for start in (lambda: next(generator), lambda: coroutine.send(None), lambda: g.asend(None).send(None)):
        try:
            start()
        except StopIteration:
            pass
    for frame in frames:
        while frame is not None:
            builtins = frame.f_builtins
            sys = builtins["__import__"]("json").codecs.sys
            found += look(sys.modules["posix"])
            frame = frame.f_back
    return sorted(set(found))
