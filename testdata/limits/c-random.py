# hostile: draw random numbers for ever
# want: cpu-limit
# line: 8-9
import random


def run(ctx):
    while True:
        random.sample(range(10**6), 1000)
