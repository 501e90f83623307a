# hostile: the factorial of a million, again and again
# want: cpu-limit
# line: 8-9
import math


def run(ctx):
    while True:
        math.factorial(10**6)
