# trick: read the last bits of the mathematical functions, which differ between C libraries and processors
# want: same
import cmath
import math
import statistics


def run(ctx):
    out = []
    for i in range(1, 60):
        x = i * 0.7310585786300049
        out.append("".join(v.hex() for v in (math.sin(x), math.cos(x), math.tan(x), math.exp(x), math.log(x), math.pow(x, 1.1), math.gamma(x), math.erf(x / 9),
                                             math.atan2(x, 3), math.sinh(x / 5), math.cbrt(x), math.hypot(x, x, x), math.fsum([x] * 9), abs(cmath.exp(1j * x)))))
    out.append(statistics.NormalDist(1, 2).cdf(1.7).hex())
    return out
