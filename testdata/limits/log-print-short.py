# hostile: print single letters without line ends for ever
# want: log-limit or cpu-limit
# line: 7-8


def run(ctx):
    while True:
        print('x', end='')
