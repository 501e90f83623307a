# trick: open a file through codecs.open and the codec stream classes, reached from json
# want: nothing
# native: finds
import json


def run(ctx):
    codecs = json.codecs
    found = []
    for path in ("/etc/passwd", "/proc/self/environ", "."):
        for name, opener in (("open", lambda: codecs.open(path, "r", "latin-1")), ("open raw", lambda: codecs.open(path, "rb")),
                             ("builtins.open", lambda: codecs.builtins.open(path, "rb")),
                             ("StreamReader", lambda: codecs.getreader("latin-1")(codecs.builtins.open(path, "rb")))):
            try:
                opener().close()
            except OSError:
                continue
            found.append(f"{name} {path}")
    return found
