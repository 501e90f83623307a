# want: ["ctx","ctx.a","ctx.a.b","AttributeError","AttributeError"]
def run(ctx):
    out = [repr(ctx), repr(ctx.a), repr(ctx.a.b)]
    for f in (lambda: ctx.__nothing__, lambda: ctx.a.__nothing__):
        try:
            f()
        except AttributeError as e:
            out.append(type(e).__name__)
    return out
