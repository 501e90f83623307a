# hostile: look for a number that an endless counter never reaches
# want: cpu-limit
# line: 8
import itertools


def run(ctx):
    return -1 in itertools.count()
