# hostile: maps of maps, half a million deep: C calls without a check
# fuel: 2000
# want: recursion-limit
# line: 9-11


def run(ctx):
    chain = iter([1])
    for _ in range(500000):
        chain = map(abs, chain)
    return next(chain)
