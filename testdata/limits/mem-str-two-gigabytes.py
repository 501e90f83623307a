# hostile: a text of two to the thirty-first letters, more than an index can say
# want: exception
# line: 7


def run(ctx):
    return len('a' * 2**31)
