# hostile: the far end of a tee that remembers everything
# want: memory-limit or cpu-limit
# line: 9-10
import itertools


def run(ctx):
    a, b = itertools.tee(itertools.count(10**6))
    for x in a:
        pass
