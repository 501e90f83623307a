# hostile: compile a hundred thousand minus signs
# want: exception or recursion-limit or memory-limit
# line: 7


def run(ctx):
    return eval('-' * 100000 + '1')
