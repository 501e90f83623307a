# want: "yes"
# More digits than Python reads: kept, and passed on.
def run(ctx):
    text = "-" + "7" * 5000
    x, others = ctx.test.answer(json="[" + text + ', [1, 2.50, "a"]]')
    assert isinstance(x, float) and x < -1e308 and str(x) == text and others == [1, 2.5, "a"] and type(others[0]) is int
    assert ctx.test.wire(n=x) == '{"n":' + text + "}"
    return "yes"
