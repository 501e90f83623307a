# hostile: the shortest of two endless iterators
# want: cpu-limit
# line: 8
import itertools


def run(ctx):
    return max(map(max, zip(itertools.cycle([1, 2]), itertools.count())))
