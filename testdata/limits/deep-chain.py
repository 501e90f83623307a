# hostile: itertools.chain nested a hundred thousand deep
# fuel: 2000
# want: completed or recursion-limit
# line: 12
import itertools


def run(ctx):
    chain = iter([1])
    for _ in range(300000):
        chain = itertools.chain(chain, ())
    return next(chain)
