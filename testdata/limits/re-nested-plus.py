# hostile: nested repetition on a text that cannot match
# want: cpu-limit
# line: 8
import re


def run(ctx):
    return re.match(r'(a+)+$', 'a' * 40 + 'b') is None
