"""Large integers: products, powers, division, gcd, decimal text."""

from math import comb, factorial, gcd, isqrt


def run(ctx):
    a, b = 0, 1
    for _ in range(6000):
        a, b = b, a + b
    n = factorial(900)
    digits = len(str(a)) + sum(map(int, str(n)))
    p = (1 << 521) - 1
    powers = sum(pow(i, p - 2, p) % 1000 for i in range(3, 11))
    r = isqrt(10**3000)
    parts = 0
    for i in range(1, 400):
        parts = (parts * 31 + n // (i << 64) + gcd(a, i * n)) % p
    return f"{digits} {powers} {r % 10**9} {parts} {comb(2000, 700) % 10**18} {int('7' * 2500) % 99991}"
