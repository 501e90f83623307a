# hostile: wrap one word of a million letters into lines of one
# want: cpu-limit
# line: 8-9
import textwrap


def run(ctx):
    while True:
        textwrap.wrap('x' * 10**5 + '-y' * 10**5, 1)
