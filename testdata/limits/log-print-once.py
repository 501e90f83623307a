# hostile: print ten megabytes at once
# want: log-limit
# line: 7


def run(ctx):
    print('x' * (10 << 20))
    return 1
