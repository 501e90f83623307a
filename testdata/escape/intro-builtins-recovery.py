# trick: recover the untouched built-ins from functions of the standard library and from C objects
# want: nothing
# native: finds
import json
import textwrap


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
    sources = [json.dumps.__globals__["__builtins__"], json.dumps.__builtins__, vars(textwrap.__builtins__ if not isinstance(textwrap.__builtins__, dict) else textwrap)
               if False else textwrap.fill.__builtins__, vars(print.__self__), (lambda: 0).__builtins__]
    for names in sources:
        names = names if isinstance(names, dict) else vars(names)
        try:
            found += look(names["__import__"]("posix"))
        except ImportError:
            pass
        try:
            names["open"]("/etc/passwd").close()
            found.append("open")
        except OSError:
            pass
    return sorted(set(found))
