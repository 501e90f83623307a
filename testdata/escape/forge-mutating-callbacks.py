# trick: change containers from inside comparisons, hashes, iterators and keys while C code walks them
# want: any
import bisect
import collections
import heapq
import itertools
import operator


def run(ctx):
    results = []
    box = []

    class Evil:
        def __eq__(self, other):
            box.clear()
            return False

        def __lt__(self, other):
            box.clear()
            box.extend(range(3))
            return True

        def __hash__(self):
            return 1

        def __index__(self):
            box.clear()
            return 2

    def attempt(act):
        box[:] = [Evil() for _ in range(50)]
        try:
            results.append(repr(act())[:20])
        except Exception as e:
            results.append(type(e).__name__)

    queue = collections.deque(maxlen=50)
    attempt(lambda: box.sort())
    attempt(lambda: box.index(Evil()))
    attempt(lambda: box.remove(Evil()))
    attempt(lambda: box == [Evil()] * 50)
    attempt(lambda: heapq.heapify(box))
    attempt(lambda: heapq.heappop(box))
    attempt(lambda: bisect.insort(box, Evil()))
    attempt(lambda: max(box))
    attempt(lambda: operator.indexOf(box, Evil()))
    attempt(lambda: collections.Counter(box))
    attempt(lambda: {e: box for e in box})
    attempt(lambda: (queue.extend(box), queue.index(Evil(), Evil())))
    attempt(lambda: list(itertools.compress(box, (Evil() < 1 for _ in box))))
    attempt(lambda: collections.OrderedDict((e, 1) for e in box) == collections.OrderedDict((e, 2) for e in box))
    attempt(lambda: sorted(box, key=lambda e: box.clear() or 1))
    attempt(lambda: bytes(box))
    attempt(lambda: box.__setitem__(slice(0, Evil()), box))
    return results
