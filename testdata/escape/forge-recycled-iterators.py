# trick: use iterators, tees and views from inside their own calls
# want: any
import csv
import functools
import io
import itertools
import json


def run(ctx):
    results = []

    def attempt(act):
        try:
            results.append(repr(act())[:30])
        except BaseException as e:
            results.append(type(e).__name__)

    class Again:
        def __iter__(self):
            return self

        def __next__(self):
            return next(twin)

    first, twin = itertools.tee(Again())
    attempt(lambda: next(first))

    def own():
        yield next(generator)

    generator = own()
    attempt(lambda: next(generator))
    groups = itertools.groupby([1, 2], key=lambda v: next(groups))
    attempt(lambda: list(groups))

    @functools.lru_cache(maxsize=1)
    def cached(key):
        if key:
            cached.cache_clear()
            cached(key - 1)
        return key

    attempt(lambda: cached(30))
    buffer = io.BytesIO(b"x" * 100)
    view = buffer.getbuffer()
    attempt(lambda: buffer.truncate(1))
    attempt(lambda: buffer.__init__(b"y"))
    attempt(lambda: buffer.__setstate__((b"z", 0, {})))
    attempt(lambda: bytes(view))

    class Rows:
        def __iter__(self):
            return self

        def __next__(self):
            return next(reader) and "x"

    reader = csv.reader(Rows())
    attempt(lambda: next(reader))
    attempt(lambda: io.TextIOWrapper(buffer).__init__(buffer, newline=object()))
    wrapper = io.TextIOWrapper(io.BytesIO(b"abc"))
    attempt(lambda: wrapper.__init__(wrapper))
    attempt(lambda: wrapper.read())
    attempt(lambda: json.loads("[1]", object_pairs_hook=lambda p: 1 / 0))
    return results
