# trick: wrap descriptors 3 to 40 in file objects with open(), FileIO and os.fdopen
# want: nothing
# native: finds
import io
import random


def run(ctx):
    found = []
    for fd in range(3, 41):
        for name, opener in (("open", open), ("FileIO", io.FileIO), ("fdopen", random._os.fdopen)):
            try:
                f = opener(fd, "r", closefd=False)
                f.read(1)
            except (OSError, ValueError):
                continue
            found.append(f"{name}({fd})")
    try:
        open("/dev/null").close()
        found.append("/dev/null")
    except OSError:
        pass
    return found
