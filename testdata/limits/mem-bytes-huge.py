# hostile: bytes of the largest size that an index can say
# want: memory-limit
# line: 7


def run(ctx):
    return len(bytes(2**31 - 64))
