# hostile: a number of two thousand million bits
# want: memory-limit
# line: 7


def run(ctx):
    return (1 << (2**31 - 1)).bit_length()
