# hostile: a list of an endless counter
# want: memory-limit or cpu-limit
# line: 8
import itertools


def run(ctx):
    return len(list(itertools.count()))
