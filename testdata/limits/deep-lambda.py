# hostile: compile lambdas nested ten thousand deep
# want: exception or recursion-limit or memory-limit
# line: 7


def run(ctx):
    return eval('lambda: ' * 10000 + '1') is None
