# hostile: compile an expression of a hundred thousand powers
# want: exception or recursion-limit or memory-limit or cpu-limit
# line: 7


def run(ctx):
    return eval('**'.join(['1'] * 100000))
