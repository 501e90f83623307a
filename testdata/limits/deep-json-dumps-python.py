# hostile: write JSON nested deep with the encoder in Python
# want: recursion-limit or completed or cpu-limit
# line: 11
import json


def run(ctx):
    deep = []
    for _ in range(5000):
        deep = [deep]
    return len(json.dumps(deep, indent=1))
