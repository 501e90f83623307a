# hostile: compare lists nested a hundred thousand deep
# want: recursion-limit
# line: 10


def run(ctx):
    a, b = [], []
    for _ in range(100000):
        a, b = [a], [b]
    return a == b
