# want: "model"
def run(ctx):
    return ctx.ai(system="s", user="u", schema={"type": "string"})
