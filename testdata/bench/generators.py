"""Generators and itertools: pipelines, yield from, send, infinite sources."""

from itertools import accumulate, chain, combinations, groupby, islice, product


def count(start):
    while True:
        yield start
        start += 1


def evens(source):
    for n in source:
        if n % 2 == 0:
            yield n


def walk(tree):
    if isinstance(tree, tuple):
        for branch in tree:
            yield from walk(branch)
    else:
        yield tree


def average():
    total, n, value = 0, 0, None
    while True:
        value = yield (total // n if n else 0)
        total, n = total + value, n + 1


def nest(depth):
    return depth if depth == 0 else (nest(depth - 1), depth, nest(depth - 1))


def run(ctx):
    n = sum(islice((i * i for i in evens(count(1))), 14000))
    n += sum(walk(nest(10)))
    mean = average()
    next(mean)
    for i in range(14000):
        n += mean.send(i)
    n += sum(a * b for a, b in combinations(range(130), 2)) + sum(1 for _ in product(range(22), repeat=3))
    n += sum(k * len(list(g)) for k, g in groupby(sorted(i % 37 for i in range(6000))))
    n += max(accumulate(chain(range(5000), range(-5000, 0))))
    n += sum(a - b for a, b in zip(evens(count(0)), range(9000)))
    return str(n)
