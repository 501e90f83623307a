# hostile: delegating generators nested a hundred thousand deep
# want: recursion-limit


def through(chain):
    yield from chain


def run(ctx):
    chain = iter([1])
    for _ in range(100000):
        chain = through(chain)
    return next(chain)
