# want: [1915883588174806058,1000000000000000000000000000000,-9223372036854775809,0.1234567890123456789012345,1e400,-1E-400,123456789.123456789123456789,9007199254740993.0,0.30000000000000004,12345678901234567.8,1.000000000000000000000000000000000001]
# Field fault 43: what a tool answers is written back digit by digit, as output and as argument.
WRITTEN = ["1915883588174806058", "1" + "0" * 30, "-9223372036854775809", "0.1234567890123456789012345", "1e400", "-1E-400", "123456789.123456789123456789", "9007199254740993.0", "0.30000000000000004", "12345678901234567.8", "1.000000000000000000000000000000000001"]

def run(ctx):
    read = [ctx.test.answer(json=text) for text in WRITTEN]
    together = ctx.test.answer(json="[" + ", ".join(WRITTEN) + "]")
    assert [repr(x) for x in read] == [repr(x) for x in together], together
    wire = ctx.test.wire(numbers=together, again={"k": read})
    want = "[" + ",".join(WRITTEN) + "]"
    assert wire == '{"numbers":' + want + ',"again":{"k":' + want + "}}", wire
    return together
