# want: exception
# says: ctx.test.echo takes keyword arguments only
def run(ctx):
    ctx.test.echo(1)
