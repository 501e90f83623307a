# hostile: the well-known hostile address
# want: cpu-limit
# line: 8
import re


def run(ctx):
    return re.match(r'^([a-zA-Z0-9])(([\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+$', 'a' * 50 + '!') is None
