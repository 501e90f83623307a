# trick: open files through io.open, io.open_code and io.FileIO
# want: nothing
# native: finds
import io


def run(ctx):
    found = []
    for path in ("/etc/passwd", "/proc/self/environ", "/proc/self/cmdline", "."):
        for name, opener in (("open", lambda p: io.open(p, "rb")), ("open_code", io.open_code), ("FileIO", io.FileIO),
                             ("open unbuffered", lambda p: io.open(p, "rb", buffering=0))):
            try:
                f = opener(path)
            except OSError:
                continue
            found.append(f"io.{name} {path}")
            f.close()
    return found
