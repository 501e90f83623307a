# hostile: a fraction to a high power, in a loop
# want: cpu-limit
# line: 9-10
import fractions


def run(ctx):
    x = fractions.Fraction(123456789, 987654321)
    while True:
        x = x ** 3 + 1
