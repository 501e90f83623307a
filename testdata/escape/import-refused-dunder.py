# trick: call __import__ with names that only look allowed: subclasses of str, relative levels, submodules, unusual spellings
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


class Name(str):
    def __eq__(self, other):
        return other == "json" or str.__eq__(self, other)

    def __hash__(self):
        return hash("json")

    def partition(self, sep):
        return ("json", "", "")

    def split(self, *args):
        return ["json"]


def run(ctx):
    found = []
    for args in ((Name("posix"),), ("posix", {"__package__": "", "__name__": "json"}, {}, (), 0), ("posix\0json",), ("json.posix",), ("ｐｏｓｉｘ",), (" posix",),
                 ("os", None, None, ("system",), 0), ("posix", {"__package__": "json"}, None, (), 1), ("", {"__package__": "posix"}, None, ("open",), 1)):
        try:
            module = __import__(*args)
        except (ImportError, ValueError, TypeError, KeyError):
            continue
        if getattr(module, "__name__", "") in ("posix", "os"):
            found += look(module)
    return found
