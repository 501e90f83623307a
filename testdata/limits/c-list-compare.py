# hostile: compare long equal lists
# want: cpu-limit
# line: 8-9


def run(ctx):
    a, b = [0] * 10**7, [0] * 10**7
    while True:
        a == b
