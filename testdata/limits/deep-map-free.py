# hostile: maps of maps, a million deep, only freed again
# want: completed or cpu-limit
# line: 8-11


def run(ctx):
    chain = iter([1])
    for _ in range(1000000):
        chain = map(abs, chain)
    del chain
    return 'freed'
