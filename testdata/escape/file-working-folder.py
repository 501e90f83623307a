# trick: ask for the working folder and walk out of it
# want: nothing
# native: finds
import random


def run(ctx):
    os = random._os
    found = []
    try:
        if os.getcwd() not in ("", "/"):
            found.append(f"working folder {os.getcwd()}")
    except OSError:
        pass
    for path in ("..", "/etc", "/tmp", "/proc/self/cwd"):
        try:
            os.chdir(path)
        except (OSError, AttributeError):
            continue
        found.append(f"chdir {path}")
    if os.path.realpath("runlace") not in ("runlace", "/runlace", "//runlace"):
        found.append("realpath " + os.path.realpath("runlace"))
    found += [f"walk {folder}" for folder, _, _ in list(os.walk("."))[:3]]
    return found
