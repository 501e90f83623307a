# want: "went on"
def f(n):
    return f(n + 1)
def run(ctx):
    for i in range(20):
        try:
            f(0)
        except RecursionError:
            pass
    return "went on"
