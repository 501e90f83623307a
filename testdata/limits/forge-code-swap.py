# hostile: exchange the code object of the running function, then loop
# want: cpu-limit
# line: 8-9


def run(ctx):
    run.__code__ = (lambda ctx: 1).__code__
    while True:
        pass
