# hostile: types joined and subscripted into each other
# want: recursion-limit
# line: 10


def run(ctx):
    deep = list[int]
    for _ in range(20000):
        deep = list[deep]
    return len(repr(deep))
