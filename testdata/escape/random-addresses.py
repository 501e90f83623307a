# trick: take addresses as randomness: id, hash and repr of objects of all sizes
# want: same
# native: finds


def run(ctx):
    things = [object(), [], {}, set(), lambda: 0, run, type("T", (), {}), bytearray(100000), "x" * 5000, 2**500, object, None, print, ctx]
    return [[hex(id(t)), repr(t)[:80] if not isinstance(t, (str, int, bytearray)) else ""] for t in things] + [hash(object()), hash(run)]
