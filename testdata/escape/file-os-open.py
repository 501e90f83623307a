# trick: open files with os.open, found through the private name random._os
# want: nothing
# native: finds
import random


def run(ctx):
    os = random._os
    found = []
    for path in ("/etc/passwd", "/proc/self/environ", "/proc/self/fd/0", "/proc/self/mem", "/dev/tty", "."):
        try:
            fd = os.open(path, os.O_RDONLY)
        except OSError:
            continue
        found.append(path)
        os.close(fd)
    return found
