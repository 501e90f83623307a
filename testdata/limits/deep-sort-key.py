# hostile: a sort key that sorts
# want: recursion-limit
# line: 7


def key(value):
    return sorted([value, value], key=key)


def run(ctx):
    return key(1)
