# hostile: run into the recursion limit, then go on
# want: completed


def run(ctx):
    def f(n):
        return f(n + 1)

    try:
        f(0)
    except RecursionError:
        return "went on"
