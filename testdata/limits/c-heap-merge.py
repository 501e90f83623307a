# hostile: merge endless streams
# want: cpu-limit
# line: 9-10
import heapq
import itertools


def run(ctx):
    for x in heapq.merge(*[itertools.count() for _ in range(100)]):
        pass
