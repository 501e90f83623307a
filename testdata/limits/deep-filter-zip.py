# hostile: filters, zips and enumerations nested in turn
# fuel: 2000
# want: completed or recursion-limit
# line: 11


def run(ctx):
    chain = iter([1])
    for _ in range(100000):
        chain = filter(None, zip(enumerate(chain)))
    return str(type(next(chain)))
