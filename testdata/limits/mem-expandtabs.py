# hostile: tabs of a thousand million columns
# want: memory-limit
# line: 7


def run(ctx):
    return len('\t'.expandtabs(10**9))
