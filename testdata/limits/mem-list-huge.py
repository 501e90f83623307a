# hostile: a list of a thousand million elements
# want: memory-limit
# line: 7


def run(ctx):
    return len([0] * 10**9)
