# hostile: read JSON objects nested a hundred thousand deep
# want: recursion-limit
# line: 8
import json


def run(ctx):
    return len(json.loads('{"a":' * 10**5 + '1' + '}' * 10**5))
