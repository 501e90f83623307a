# hostile: a logarithm with a hundred thousand digits
# want: cpu-limit
# line: 9
import decimal


def run(ctx):
    decimal.getcontext().prec = 10**5
    return str(decimal.Decimal(3).ln())[:10]
