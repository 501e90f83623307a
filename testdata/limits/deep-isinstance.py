# hostile: isinstance with tuples nested a hundred thousand deep
# want: recursion-limit
# line: 10


def run(ctx):
    deep = (int,)
    for _ in range(100000):
        deep = (str, deep)
    return isinstance(1.5, deep)
