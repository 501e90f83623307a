# hostile: a generator that catches GeneratorExit and loops
# want: cpu-limit
# line: 7-12


def deaf():
    while True:
        try:
            yield
        except BaseException:
            while True:
                pass


def run(ctx):
    g = deaf()
    next(g)
    g.close()
