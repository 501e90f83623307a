# hostile: values that pass through a hundred delegating generators
# want: cpu-limit


def g(n):
    yield from (g(n - 1) if n else iter(int, 1))


def run(ctx):
    for x in g(100):
        pass
