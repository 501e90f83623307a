# hostile: greatest common divisors of Fibonacci numbers
# want: cpu-limit
# line: 9-12
import math


def run(ctx):
    a, b = 1, 1
    for _ in range(40000):
        a, b = b, a + b
    while True:
        math.gcd(a, b)
