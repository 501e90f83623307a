# hostile: skip ten to the twelfth elements in C
# want: cpu-limit
# line: 8
import itertools


def run(ctx):
    return next(itertools.islice(itertools.count(), 2**31 - 2, None))
