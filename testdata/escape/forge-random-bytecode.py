# trick: thousands of functions with random bytecode
# want: any
import random


def run(ctx):
    def victim(a, b=2):
        try:
            for c in [a, b]:
                b += c
        except ValueError as e:
            b = e
        return b

    base, results = victim.__code__, []
    chance = random.Random(ctx.inputs.get("n", 1))
    for _ in range(2000):
        body = bytearray(base.co_code)
        for _ in range(chance.randrange(1, 4)):
            body[chance.randrange(2, len(body))] = chance.randrange(256)
        victim.__code__ = base.replace(co_code=bytes(body))
        try:
            results.append(type(victim(1)).__name__)
        except BaseException as e:
            results.append(type(e).__name__)
    return results[-3:]
