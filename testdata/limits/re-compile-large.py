# hostile: one expression with a hundred thousand alternatives
# want: cpu-limit
# line: 8
import re


def run(ctx):
    return re.compile('|'.join(f'w{i}x' for i in range(100000))).groups
