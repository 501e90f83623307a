# hostile: print just under a megabyte
# want: completed


def run(ctx):
    for _ in range(1000):
        print('x' * 999)
    return 1
