# hostile: print for ever
# want: log-limit
# line: 7-8


def run(ctx):
    while True:
        print('x' * 1000)
