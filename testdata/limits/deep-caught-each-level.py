# hostile: catch the recursion error at each level and call again
# want: cpu-limit or recursion-limit


def f(n):
    try:
        return f(n + 1)
    except RecursionError:
        return f(n + 1)


def run(ctx):
    return f(0)
