# hostile: overlapping alternatives under a star
# want: cpu-limit
# line: 8
import re


def run(ctx):
    return re.match(r'(a|a|aa)*$', 'a' * 60 + 'b') is None
