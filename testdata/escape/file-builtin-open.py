# trick: open files of the host with the plain built-in
# want: nothing
# native: finds
PATHS = ("/etc/passwd", "/etc/hostname", "/proc/self/environ", "/proc/self/maps", "/proc/cpuinfo", "/dev/zero", "C:\\Windows\\win.ini",
         "//etc/passwd", "/../etc/passwd", "../../../../../../../../etc/passwd", "./../../../../../../../etc/passwd", "workflow.py", ".", "/")


def run(ctx):
    found = []
    for path in PATHS:
        for mode in ("r", "rb"):
            try:
                with open(path, mode) as f:
                    found.append(f"{path} {mode}: {len(f.read(64))} units read")
            except (OSError, UnicodeDecodeError):
                pass
    return found
