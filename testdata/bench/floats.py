"""Floating point: n-body steps, a matrix product, a numeric integral. Only operations that IEEE 754 defines to the last bit."""

from math import fsum, sqrt


def bodies(steps):
    sky = [[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 39.5]] + [
        [k * 1.7, 0.4 - k, k / 3, 0.1 * k, 2.0 / k, 0.02, 0.01 / k] for k in range(1, 5)
    ]
    for _ in range(steps):
        for i, a in enumerate(sky):
            for b in sky[i + 1:]:
                dx, dy, dz = a[0] - b[0], a[1] - b[1], a[2] - b[2]
                d2 = dx * dx + dy * dy + dz * dz
                pull = 0.001 / (d2 * sqrt(d2))
                for k, d in ((3, dx), (4, dy), (5, dz)):
                    a[k] -= d * b[6] * pull
                    b[k] += d * a[6] * pull
        for body in sky:
            for k in 0, 1, 2:
                body[k] += 0.001 * body[k + 3]
    return fsum(x for body in sky for x in body)


def product(n):
    a = [[(i * j % 7) / 3 for j in range(n)] for i in range(n)]
    b = list(zip(*a))
    return fsum(dot(row, column) for row in a for column in b)


def dot(row, column):
    total = 0.0    # not sum: its rounding depends on the version of Python
    for x, y in zip(row, column):
        total += x * y
    return total


def integral(n):
    h, total = 1.0 / n, 0.0
    for i in range(n):
        x = (i + 0.5) * h
        total += 4.0 / (1.0 + x * x)
    return total * h


def run(ctx):
    return f"{bodies(550)!r} {product(34)!r} {integral(60000)!r}"
