# hostile: replace nothing by something in a long text
# want: cpu-limit
# line: 9-10
import re


def run(ctx):
    text = 'a' * 10**6
    while True:
        re.sub('', '-', text)
