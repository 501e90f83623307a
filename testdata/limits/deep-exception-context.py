# hostile: an error with twenty thousand errors behind it, left uncaught
# want: exception
# line: 12


def run(ctx):
    error = None
    for i in range(20000):
        new = ValueError(i)
        new.__context__ = error
        error = new
    raise error
