# hostile: read a text of nothing but escapes
# want: cpu-limit
# line: 9-10
import json


def run(ctx):
    text = '"' + '\\u00e9' * 10**6 + '"'
    while True:
        json.loads(text)
