# hostile: JSON with an indent of ten million blanks
# want: memory-limit
# line: 8
import json


def run(ctx):
    return len(json.dumps([[[[1, 2, 3]]]] * 9, indent=10**7))
