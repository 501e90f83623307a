# hostile: a recursion that doubles at each level
# want: cpu-limit
# line: 6-7


def f(n):
    return f(n - 1) + f(n - 1) if n else 1


def run(ctx):
    return f(60)
