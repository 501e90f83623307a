# hostile: count for ever
# want: cpu-limit
# line: 8-9


def run(ctx):
    n = 0
    while True:
        n += 1
