"""Dictionaries and sets: filling, counting, grouping, looking up, deleting, set algebra."""

from collections import Counter, OrderedDict, defaultdict


def run(ctx):
    keys = [f"key-{i * 7919 % 10007}" for i in range(15000)]
    count = {}
    for k in keys:
        count[k] = count.get(k, 0) + 1
    groups = defaultdict(list)
    for i, k in enumerate(keys):
        groups[k[-2:]].append(i)
    most = Counter(k[4:6] for k in keys).most_common(3)
    hits = 0
    for i in range(40000):
        if i in count:
            hits += 1
        if f"key-{i}" in count:
            hits += 2
    cache = OrderedDict()
    for i in range(12000):
        cache[i * i % 1009] = i
        if len(cache) > 200:
            cache.popitem(last=False)
    a, b = set(range(0, 9000, 3)), set(range(0, 9000, 2))
    for k in list(count)[::2]:
        del count[k]
    merged = {**count, **{k: -v for k, v in list(count.items())[:100]}}
    return f"{len(count)} {sorted(map(len, groups.values()))[-3:]} {most} {hits} {sum(cache)} {len(a & b)} {len(a ^ b)} {sum(merged.values())}"
