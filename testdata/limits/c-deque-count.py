# hostile: let a deque of length zero eat an endless counter
# want: cpu-limit
# line: 9
import collections
import itertools


def run(ctx):
    collections.deque(itertools.count(), maxlen=0)
