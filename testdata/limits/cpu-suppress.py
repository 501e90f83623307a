# hostile: contextlib.suppress(BaseException) around a loop
# want: cpu-limit
# line: 8-11
import contextlib


def run(ctx):
    while True:
        with contextlib.suppress(BaseException):
            while True:
                pass
