# hostile: read JSON nested a million deep
# want: recursion-limit
# line: 8
import json


def run(ctx):
    return len(json.loads('[' * 10**6 + ']' * 10**6))
