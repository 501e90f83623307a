# hostile: a substitution that repeats its match a thousand times
# want: memory-limit or cpu-limit
# line: 9-10
import re


def run(ctx):
    text = 'x' * 1000
    while True:
        text = re.sub('.', '\\g<0>' * 100, text)
