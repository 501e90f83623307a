# hostile: read nested JSON in a loop
# want: cpu-limit
# line: 9-10
import json


def run(ctx):
    text = '[' * 400 + ']' * 400
    while True:
        json.loads(text)
