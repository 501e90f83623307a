# want: {"at":"2026-03-04T05:06:07Z","name":"x","numbers":[3,1,2]}
def run(ctx):
    return ctx.inputs
