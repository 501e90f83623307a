# want: exception
# says: The above exception was the direct cause
# says: invalid literal for int
# says: RuntimeError: no
# line: 10
def run(ctx):
    try:
        int("x")
    except ValueError as e:
        raise RuntimeError("no") from e
