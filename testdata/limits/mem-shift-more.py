# hostile: a number of ten thousand million bits
# want: memory-limit
# line: 7


def run(ctx):
    return (1 << 10**10).bit_length()
