# want: exception
# says: the arguments of ctx.test.echo: arguments['rate'][0] is inf, which JSON does not have: write None or a string
def run(ctx):
    ctx.test.echo(rate=[ctx.test.answer(json="1e400") * 2])
