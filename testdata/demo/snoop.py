import json


def run(ctx):
    posix = json.codecs.sys.modules["posix"]    # past the list of imports, as hostile code would go
    found = {"variables": dict(posix.environ)}
    for what, reach in {"/etc/passwd": lambda: posix.open("/etc/passwd", 0), "folder": lambda: posix.listdir(".")}.items():
        try:
            found[what] = reach()
        except OSError as e:
            found[what] = str(e)
    return found
