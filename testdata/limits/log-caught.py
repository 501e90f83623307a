# hostile: print for ever and catch everything
# want: log-limit
# line: 7-11


def run(ctx):
    while True:
        try:
            print('x' * 1000)
        except BaseException:
            pass
