# trick: sleep for hours: the run must not wait, and its clocks must move by just that time
# want: nothing
# native: finds
import time


def run(ctx):
    found = []
    for seconds in (0.0, 0.25, 1, 3600):
        if ctx.inputs.get("native") and seconds > 1:
            continue
        wall, mono = time.time_ns(), time.monotonic_ns()
        time.sleep(seconds)
        for name, got in (("wall", time.time_ns() - wall), ("monotonic", time.monotonic_ns() - mono)):
            if got != int(seconds * 10**9):
                found.append(f"{name} clock moved {got} ns in a sleep of {seconds} s")
    for bad in (-1, float("nan"), float("inf"), 1e300, "1"):
        try:
            time.sleep(bad)
            found.append(f"slept {bad!r}")
        except (ValueError, OverflowError, TypeError, OSError):
            pass
    return found
