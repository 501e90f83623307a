# hostile: all() over an endless repetition
# want: cpu-limit
# line: 8
import itertools


def run(ctx):
    return all(itertools.repeat(True))
