# want: {"deep":{"f":1.5,"n":null},"items":[1,true,"é"],"self":1}
def run(ctx):
    return dict(sorted(ctx.test.echo(items=[1, True, "\u00e9"], deep={"f": 1.5, "n": None}, self=1).items()))
