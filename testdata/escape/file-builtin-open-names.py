# trick: give open() names as bytes, with trailing slashes, with a drive, with odd encodings and as a path object of our own
# want: nothing
# native: finds


class Named:
    def __init__(self, name):
        self.name = name

    def __fspath__(self):
        return self.name


def run(ctx):
    found = []
    names = [b"/etc/passwd", Named("/etc/passwd"), Named(b"/etc/passwd"), "/etc/./passwd", "/etc//passwd", "/etc/../etc/passwd",
             "/proc/1/ro" "ot/etc/passwd", "/proc/self/ro" "ot/etc/passwd", "/proc/self/cwd/../../../../../etc/passwd", "file:///etc/passwd",
             "\\\\.\\C:\\", "NUL", "CON", "/dev/stdin", "/dev/fd/0", "/dev/null", "/etc/passwd\udc80"[:-1]]
    for name in names:
        try:
            with open(name, "rb") as f:
                f.read(1)
            found.append(f"opened {getattr(name, 'name', name)!r}")
        except (OSError, ValueError):
            pass
    return found
