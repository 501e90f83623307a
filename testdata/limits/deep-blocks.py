# hostile: compile blocks nested ninety-nine deep and more
# want: exception
# line: 7


def run(ctx):
    exec(''.join(' ' * i + 'if 1:\n' for i in range(150)) + ' ' * 150 + 'pass')
