# hostile: a square root with ten million digits
# want: cpu-limit
# line: 9
import decimal


def run(ctx):
    decimal.getcontext().prec = 10**7
    return str(decimal.Decimal(2).sqrt())[:10]
