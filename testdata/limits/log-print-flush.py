# hostile: print with a flush each time
# want: log-limit
# line: 7-8


def run(ctx):
    while True:
        print('y' * 200, flush=True)
