# want: syntax-error
# says: '(' was never closed
# line: 5
def run(ctx):
    return (1,
