# hostile: the text of lists nested a hundred thousand deep
# want: recursion-limit
# line: 10


def run(ctx):
    deep = []
    for _ in range(100000):
        deep = [deep]
    return len(repr(deep))
