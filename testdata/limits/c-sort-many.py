# hostile: sort a million numbers over and over
# want: cpu-limit
# line: 8-10
import random


def run(ctx):
    items = [random.random() for _ in range(2 * 10**5)]
    while True:
        sorted(items)
