# hostile: copy lists nested a hundred thousand deep
# want: recursion-limit
# line: 11
import copy


def run(ctx):
    deep = []
    for _ in range(100000):
        deep = [deep]
    return len(copy.deepcopy(deep))
