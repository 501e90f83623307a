# hostile: compare two lists that hold themselves
# want: recursion-limit
# line: 10


def run(ctx):
    a, b = [], []
    a.append(a)
    b.append(b)
    return a == b
