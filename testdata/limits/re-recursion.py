# hostile: a group repeated a million times, each with its saved state
# want: completed or memory-limit or recursion-limit or cpu-limit
# line: 8
import re


def run(ctx):
    return bool(re.match(r'(?:(a)|b)*$', 'ab' * 10**6))
