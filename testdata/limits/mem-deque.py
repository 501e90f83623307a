# hostile: a deque of an endless repetition
# want: memory-limit or cpu-limit
# line: 9
import collections
import itertools


def run(ctx):
    return len(collections.deque(itertools.repeat(None)))
