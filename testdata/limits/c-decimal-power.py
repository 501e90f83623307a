# hostile: a decimal power with a large precision, repeated
# want: cpu-limit
# line: 10-11
import decimal


def run(ctx):
    decimal.getcontext().prec = 20000
    x = decimal.Decimal(3)
    while True:
        (x / 7) ** (x / 11)
