# hostile: partial functions nested in ways that are not flattened
# fuel: 2000
# want: recursion-limit
import functools


class Hold:
    def __init__(self, call):
        self.call = call

    def __call__(self, *args):
        return self.call(*args)


def run(ctx):
    call = abs
    for _ in range(200000):
        call = functools.partial(Hold(call))
    return call(-1)
