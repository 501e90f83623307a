# trick: learn about files without opening them: stat, lstat, access, readlink, statvfs, pathconf, the os.path predicates
# want: nothing
# native: finds
import random


def run(ctx):
    os = random._os
    found = []
    for path in ("/etc/passwd", "/proc/self", "/proc/self/exe", "/", ".", "/tmp", "/dev/null"):
        for name in ("stat", "lstat", "readlink", "statvfs"):
            try:
                getattr(os, name)(path)
            except (AttributeError, OSError):
                continue
            found.append(f"{name} {path}")
        for name in ("exists", "lexists", "isdir", "isfile", "islink", "ismount"):
            # "/" counts as a mount point by its name alone, and realpath of a name needs no file.
            if getattr(os.path, name)(path) and not (name == "ismount" and path == "/"):
                found.append(f"{name} {path}")
        try:
            if os.access(path, os.F_OK):
                found.append(f"access {path}")
        except (AttributeError, OSError):
            pass
    return found
