# hostile: a cache without a bound
# want: memory-limit
import functools


@functools.lru_cache(None)
def cached(number):
    return bytes(100000)


def run(ctx):
    i = 0
    while True:
        i += 1
        cached(i)
