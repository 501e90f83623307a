# hostile: join a hundred thousand texts in a loop
# want: cpu-limit
# line: 8-9


def run(ctx):
    items = ['x' * 100] * 10**5
    while True:
        ''.join(items)
