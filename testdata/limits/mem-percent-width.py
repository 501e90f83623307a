# hostile: a number padded to a thousand million zeros
# want: memory-limit
# line: 7


def run(ctx):
    return len('%01000000000d' % 1)
