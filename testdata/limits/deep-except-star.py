# hostile: split error groups nested ten thousand deep
# want: recursion-limit


def run(ctx):
    error = ValueError("innermost")
    for i in range(10000):
        error = ExceptionGroup("g", [error])
    try:
        raise error
    except* TypeError:
        pass
