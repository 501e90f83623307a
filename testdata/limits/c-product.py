# hostile: a product with 10**20 elements
# want: cpu-limit
# line: 8-9
import itertools


def run(ctx):
    for _ in itertools.product(range(10), repeat=20):
        pass
