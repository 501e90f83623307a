# hostile: raise and catch for ever in a bare except
# want: cpu-limit
# line: 7-11


def run(ctx):
    while True:
        try:
            raise ValueError("again")
        except:
            continue
