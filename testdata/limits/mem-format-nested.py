# hostile: a format width taken from an argument
# want: memory-limit
# line: 7


def run(ctx):
    return len('{:{w}}'.format(1, w=10**9))
