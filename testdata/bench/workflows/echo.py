def run(ctx):
    text = "x" * ctx.inputs["size"]
    for _ in range(ctx.inputs["calls"]):
        text = ctx.bench.echo(text=text)
    return len(text)
