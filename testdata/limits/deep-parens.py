# hostile: compile parentheses nested a hundred thousand deep
# want: exception or recursion-limit or syntax-error or memory-limit
# line: 7


def run(ctx):
    return eval('(' * 100000 + ')' * 100000)
