# want: [1.10,1E+400,-0,0E-7,0.1234567890123456789012345,1,1.5]
from decimal import Decimal

class Money(Decimal):
    def __str__(self):
        return '"odd"'
    __repr__ = __str__

def run(ctx):
    values = [Decimal("1.10"), Decimal("1e400"), Decimal("-0"), Decimal("0.0000000"), Decimal("0.1234567890123456789012345"), Decimal(1), Money("1.5")]
    assert ctx.test.wire(amount=values[0], of=10**60) == '{"amount":1.10,"of":1' + "0" * 60 + "}"
    assert ctx.test.wire(n=Decimal(10**5000)) == '{"n":1' + "0" * 5000 + "}"
    return values
