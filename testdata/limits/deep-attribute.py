# hostile: compile a chain of a hundred thousand attributes
# want: recursion-limit
# line: 7


def run(ctx):
    return eval('x' + '.y' * 100000)
