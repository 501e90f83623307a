"""Function calls: recursion, keyword and default arguments, closures, *args."""


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def scale(value, *, by=3, offset=0):
    return value * by + offset


def adder(step):
    def add(value):
        return value + step
    return add


def total(*args, **kwargs):
    return sum(args) + len(kwargs)


def run(ctx):
    n = fib(21)
    add = adder(7)
    for i in range(24000):
        n = (scale(add(n), offset=i) + total(i, n, a=1, b=2)) % 1000003
    return str(n)
