# hostile: a generator that yields again in finally, closed and collected over and over
# want: cpu-limit
# line: 7-22


def stubborn():
    while True:
        try:
            yield 1
        finally:
            yield 2


def run(ctx):
    while True:
        g = stubborn()
        next(g)
        try:
            g.close()
        except RuntimeError:
            pass
        del g
