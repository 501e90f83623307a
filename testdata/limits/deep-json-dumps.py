# hostile: write JSON nested a hundred thousand deep
# want: recursion-limit
# line: 11
import json


def run(ctx):
    deep = []
    for _ in range(100000):
        deep = [deep]
    return len(json.dumps(deep))
