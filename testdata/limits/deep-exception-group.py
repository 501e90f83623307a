# hostile: error groups nested ten thousand deep, left uncaught
# want: exception
# line: 10


def run(ctx):
    error = ValueError("innermost")
    for i in range(10000):
        error = ExceptionGroup("g", [error])
    raise error
