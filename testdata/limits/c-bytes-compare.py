# hostile: compare long equal byte strings
# want: cpu-limit
# line: 8-9


def run(ctx):
    a, b = b'x' * (5 * 10**7), b'x' * (5 * 10**7)
    while True:
        a == b
