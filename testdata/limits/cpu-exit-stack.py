# hostile: an exit stack whose callbacks loop for ever
# want: cpu-limit
# line: 8-10
import contextlib


def run(ctx):
    with contextlib.ExitStack() as stack:
        stack.callback(lambda: [None for _ in iter(int, 1)])
        raise ValueError("start the unwinding")
