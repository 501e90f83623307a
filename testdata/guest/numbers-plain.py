# want: [1.1,100000.0,-0.0,0.0,0.1,2.5e-07,1e+23,1.7976931348623157e+308,5e-324,0.1,100.0,0.0,0]
# A number that a float says exactly is a plain float, however it was spelled.
WRITTEN = ["1.10", "1E5", "-0.0", "0e999999999999999", "0.1", "0.00000025", "1E+23", "1.7976931348623157e308", "5e-324", "0.1000000000000000000000000000", "0.1e3", "0.000", "-0"]

def run(ctx):
    read = [ctx.test.answer(json=text) for text in WRITTEN]
    assert {type(x) for x in read[:-1]} == {float} and type(read[-1]) is int
    return read
