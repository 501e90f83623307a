"""Decimal: money with rounding, division, square roots, text both ways."""

from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, localcontext


def run(ctx):
    cent = Decimal("0.01")
    total, tax = Decimal(0), Decimal("0.19")
    for i in range(9000):
        price = Decimal(f"{i}.{i % 100:02d}")
        net = (price / (1 + tax)).quantize(cent, rounding=ROUND_HALF_UP)
        total += (price - net).quantize(cent, rounding=ROUND_HALF_EVEN)
        if i % 4 == 0:
            total = Decimal(str(total)) * Decimal("1.0001")
    with localcontext() as c:
        c.prec = 60
        x = Decimal(2)
        for i in range(1, 700):
            x = (x.sqrt() + x.ln() / i + Decimal(1) / i) if i % 60 == 0 else x.sqrt() + Decimal(i) / 7
    return f"{total.quantize(cent)} {x}"
