# want: exception
# says: the arguments of ctx.test.echo: arguments['when'][0]['a'] is of type set, which JSON does not have: write sorted(value)
def run(ctx):
    ctx.test.echo(when=[{"a": {1, 2}}])
