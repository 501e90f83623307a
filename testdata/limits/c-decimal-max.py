# hostile: the highest precision that decimal knows
# want: memory-limit
# line: 10
import decimal


def run(ctx):
    decimal.getcontext().prec = decimal.MAX_PREC
    decimal.getcontext().Emax = decimal.MAX_EMAX
    return str(decimal.Decimal(1) / 3)[:10]
