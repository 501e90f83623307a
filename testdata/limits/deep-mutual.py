# hostile: two functions that call each other
# want: recursion-limit
# line: 7-11


def a(n):
    return b(n + 1)


def b(n):
    return a(n + 1)


def run(ctx):
    return a(0)
