# hostile: a list of a hundred million numbers
# want: memory-limit
# line: 7


def run(ctx):
    return len(list(range(10**8)))
