# trick: import a refused module inside run, by a from-import, and let the refusal pass through
# want: import-refused
# native: finds


def run(ctx):
    from subprocess import check_output
    return [check_output(["true"]).decode()]
