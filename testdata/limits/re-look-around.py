# hostile: look-ahead inside repetition
# want: cpu-limit
# line: 8-9
import re


def run(ctx):
    while True:
        x = re.match(r'(?:(?=(a+))a*b?)*c', 'a' * 5000) is None
