# hostile: square roots of a growing number
# want: cpu-limit
# line: 9-10
import math


def run(ctx):
    n = 7**5000
    while True:
        n = n * n % (1 << 400000) + math.isqrt(n)
