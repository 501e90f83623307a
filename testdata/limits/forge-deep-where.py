# hostile: loop at the bottom of nine hundred calls, so that finding the line takes long
# want: cpu-limit
# line: 9-10


def down(n):
    if n:
        return down(n - 1)
    while True:
        pass


def run(ctx):
    return down(900)
