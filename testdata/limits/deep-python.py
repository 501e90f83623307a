# hostile: call a function from itself without an end
# want: recursion-limit
# line: 7


def f(n):
    return f(n + 1)


def run(ctx):
    return f(0)
