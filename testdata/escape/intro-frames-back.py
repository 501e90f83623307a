# trick: climb the frames to the caller of run and read its globals and built-ins
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
    found = []
    try:
        raise ValueError
    except ValueError as e:
        frame = e.__traceback__.tb_frame
    while frame is not None:
        print("frame", frame.f_code.co_name)
        for names in (frame.f_globals, frame.f_locals, frame.f_builtins):
            for key, value in list(names.items()):
                if key in ("os", "posix", "sys", "_os"):
                    module = value.modules.get("posix") if key == "sys" else value
                    found += look(module)
        frame = frame.f_back
    return found
