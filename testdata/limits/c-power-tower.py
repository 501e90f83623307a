# hostile: ten to the power of a hundred million
# want: cpu-limit
# line: 7


def run(ctx):
    return len(str(10**10**8))
