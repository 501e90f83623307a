"""Comprehensions and the builtins around them: nested, filtered, of lists, sets and dictionaries."""


def run(ctx):
    grid = [[(x * y + x) % 17 for x in range(110)] for y in range(110)]
    flat = [v for row in grid for v in row if v % 3]
    turned = [list(column) for column in zip(*grid)]
    index = {v: [x for x in row if x != v][:3] for row in turned for v in set(row)}
    rows = [{"id": i, "price": i * 7 % 101, "tags": [str(t) for t in range(i % 4)]} for i in range(2500)]
    cheap = {r["id"]: len(r["tags"]) for r in rows if r["price"] < 50}
    names = sorted({f"{r['price']}:{t}" for r in rows for t in r["tags"]})
    pairs = [(a, b) for a in range(90) for b in range(90) if a * b % 7 == 1]
    total = sum(abs(a - b) for a, b in pairs) + sum(map(sum, turned)) + max(flat) + sum(v for v in flat if any(v > k for k in (3, 5, 9)))
    return f"{len(flat)} {sorted(index)[-1]} {sum(cheap.values())} {len(names)} {names[7]} {total} {all(r['id'] >= 0 for r in rows)}"
