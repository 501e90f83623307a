# hostile: binomial coefficients of large numbers
# want: cpu-limit
# line: 8-9
import math


def run(ctx):
    while True:
        math.comb(10**6, 5 * 10**5)
