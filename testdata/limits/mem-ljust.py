# hostile: a text padded to a thousand million columns
# want: memory-limit
# line: 7


def run(ctx):
    return len('x'.ljust(10**9))
