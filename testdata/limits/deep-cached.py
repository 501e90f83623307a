# hostile: a cached function that calls itself, through the cache in C
# want: recursion-limit
import functools


@functools.lru_cache(None)
def f(n):
    return f(n - 1) + 1 if n else 0


def run(ctx):
    return f(100000)
