"""Loops over small integers: for, while, nested, with branches."""


def sieve(n):
    prime = [True] * (n + 1)
    prime[0] = prime[1] = False
    i = 2
    while i * i <= n:
        if prime[i]:
            for j in range(i * i, n + 1, i):
                prime[j] = False
        i += 1
    return sum(prime)


def collatz(limit):
    longest = 0
    for start in range(1, limit):
        n, steps = start, 0
        while n != 1:
            n = n // 2 if n & 1 == 0 else 3 * n + 1
            steps += 1
        if steps > longest:
            longest = steps
    return longest


def run(ctx):
    n = 0
    for i in range(300):
        for j in range(200):
            if (i ^ j) & 3:
                n += i * j
            else:
                n -= j
    return f"{sieve(120000)} {collatz(4000)} {n}"
