# trick: change the tree itself: mkdir, rmdir, symlink, link, rename, unlink, chmod, utime, truncate, mknod
# want: nothing
# native: finds
import random


def run(ctx):
    os = random._os
    base = "/tmp/runlace-escape-tree"
    found = []

    def attempt(name, *args):
        try:
            getattr(os, name)(*args)
        except (AttributeError, OSError, NotImplementedError):
            return
        found.append(f"{name}{args}")

    attempt("mkdir", base)
    attempt("makedirs", base + "/a/b")
    attempt("symlink", "/etc/passwd", base + "/link")
    attempt("readlink", base + "/link")
    if os.path.exists(base):
        # The C library of the guest has a chmod that does nothing and calls that a success.
        attempt("chmod", base, 0o755)
    attempt("utime", base)
    attempt("mkfifo", base + "/fifo")
    attempt("link", base + "/fifo", base + "/fifo2")
    attempt("rename", base + "/fifo", base + "/fifo3")
    attempt("truncate", base + "/link2", 0)
    attempt("symlink", "x", "runlace-escape-link", False)
    attempt("unlink", "runlace-escape-link")
    for name in ("/fifo", "/fifo2", "/fifo3", "/link"):
        attempt("unlink", base + name)
    for name in ("/a/b", "/a", ""):
        attempt("rmdir", base + name)
    return found
