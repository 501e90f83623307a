# trick: make generators without a seed, and reseed from nothing
# want: same
# native: finds
import random


def run(ctx):
    out = [random.random(), random.Random().random(), random.Random(None).getrandbits(64)]
    random.seed()
    out += [random.random(), random.randrange(10**9), random.sample(range(100), 5)]
    random.seed(None)
    out.append(random.gauss(0, 1))
    return out
