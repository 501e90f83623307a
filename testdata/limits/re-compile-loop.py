# hostile: compile new expressions for ever
# want: cpu-limit
# line: 9-11
import re


def run(ctx):
    i = 0
    while True:
        i += 1
        re.compile(f'(a{{{i % 1000}}}|[b-z]+{i})*')
