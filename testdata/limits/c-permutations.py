# hostile: the largest of all permutations of twenty numbers
# want: cpu-limit
# line: 8
import itertools


def run(ctx):
    return max(itertools.permutations(range(20)))
