# hostile: run into the recursion limit again and again
# want: cpu-limit


def run(ctx):
    def f():
        f()

    while True:
        try:
            f()
        except RecursionError:
            pass
