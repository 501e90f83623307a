# hostile: an expression nested thousands deep
# want: recursion-limit
# line: 8
import re


def run(ctx):
    return re.compile('(' * 5000 + ')' * 5000).groups
