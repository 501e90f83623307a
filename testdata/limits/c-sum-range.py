# hostile: sum a million million numbers in C
# want: cpu-limit
# line: 7


def run(ctx):
    return sum(range(10**12))
