# hostile: loop for ever in a finally block after an error
# want: cpu-limit
# line: 10-11


def run(ctx):
    try:
        raise KeyError("x")
    finally:
        while True:
            pass
