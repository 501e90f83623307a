"""Sorting: integers, strings, by key functions, by tuples, heaps, bisection."""

import bisect
import heapq
import operator
import random


def run(ctx):
    r = random.Random(4)
    numbers = [int(r.random() * 1e9) for _ in range(9000)]
    words = [f"{n:x}"[::-1] for n in numbers]
    records = [(n % 97, w, n) for n, w in zip(numbers, words)]
    check = 0
    check += sorted(numbers)[4500]
    check += sorted(numbers, reverse=True)[100] + sorted(numbers, key=lambda n: (n % 10, -n))[4000]
    check += len(sorted(words)[123] + sorted(words, key=str.upper)[456])
    check += sorted(records)[777][2] + sorted(records, key=operator.itemgetter(1))[777][0]
    heap = []
    for n in numbers[:6000]:
        heapq.heappush(heap, n)
    for _ in range(3000):
        check += heapq.heappop(heap)
    line = []
    for n in numbers[:4000]:
        bisect.insort(line, n)
    check += sum(heapq.nlargest(50, numbers)) + line[2000]
    return str(check)
