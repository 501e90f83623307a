# hostile: return from finally in an endless row of calls
# want: cpu-limit
# line: 6-16


def swallow():
    try:
        while True:
            raise SystemExit
    finally:
        return


def run(ctx):
    while True:
        swallow()
