# hostile: an encoder whose default function never ends
# want: cpu-limit
# line: 8-9
import json


def forever(thing):
    while True:
        pass


def run(ctx):
    return json.dumps(object(), default=forever)
