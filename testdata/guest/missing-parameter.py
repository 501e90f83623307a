# want: missing-run
# says: run takes no parameter: write def run(ctx)
# line: 4
def run():
    return 1
