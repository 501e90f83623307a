# trick: walk attributes by str.format, format_map, Formatter.get_field and attrgetter, without a name in the source
# want: nothing
# native: finds
import json
import operator
import string


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
    dotted = "codecs.sys.modules"
    texts = ["{0.codecs.sys.modules[posix].environ}".format(json), "{j.codecs.sys.argv}".format_map({"j": json}), "{0.__init__.__globals__}".format(string.Template)]
    found = look(operator.attrgetter(dotted)(json)["posix"])
    field, _ = string.Formatter().get_field("0.codecs.sys.modules[posix]", (json,), {})
    found += look(field)
    if texts[0] not in ("{}", "environ({})"):
        found.append("the environment: " + texts[0][:40])
    for mark in ("/home/", "/root", "/tmp/"):
        if mark in "".join(texts):
            found.append("a path in a formatted text: " + mark)
    return sorted(set(found))
