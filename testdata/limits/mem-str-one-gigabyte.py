# hostile: a text of a thousand million letters
# want: memory-limit
# line: 7


def run(ctx):
    return len('a' * 2**30)
