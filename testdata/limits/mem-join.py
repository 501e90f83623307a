# hostile: join parts that share one text
# want: memory-limit
# line: 7


def run(ctx):
    return len(''.join(['x' * 10**6] * 1000))
