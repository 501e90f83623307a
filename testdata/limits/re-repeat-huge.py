# hostile: repetition counts up to the largest number
# want: cpu-limit
# line: 8
import re


def run(ctx):
    return bool(re.match(r'(?:(?:a{0,65535}){0,65535}){0,65535}$', 'a' * 300 + 'b'))
