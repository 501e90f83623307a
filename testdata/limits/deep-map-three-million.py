# hostile: maps of maps, three million deep
# want: recursion-limit or cpu-limit
# line: 8-10


def run(ctx):
    chain = iter([1])
    for _ in range(3000000):
        chain = map(abs, chain)
    return next(chain)
