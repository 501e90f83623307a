def run(ctx):
    ctx.bench.first()
