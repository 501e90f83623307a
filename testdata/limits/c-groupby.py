# hostile: one group that never ends
# want: cpu-limit
# line: 8-10
import itertools


def run(ctx):
    for key, group in itertools.groupby(itertools.repeat(1)):
        for item in group:
            pass
