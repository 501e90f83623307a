# want: ["0.1428571428571428571428571429","0.14286","1.4142135623730950488016887242096980785696718753769","1,234.5",28]
from decimal import Decimal, getcontext, localcontext
def run(ctx):
    out = [str(Decimal(1) / 7)]
    with localcontext(prec=5):
        out.append(str(Decimal(1) / 7))
    with localcontext(prec=50):
        out.append(str(Decimal(2).sqrt()))
    return out + [f"{Decimal('1234.5'):z,.1f}", getcontext().prec]
