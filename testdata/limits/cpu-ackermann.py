# hostile: a function that grows faster than any loop, with its recursion errors caught
# want: cpu-limit


def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


def run(ctx):
    while True:
        try:
            ackermann(4, 2)
        except RecursionError:
            pass
