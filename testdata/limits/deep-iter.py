# hostile: an iterator that asks itself for the next
# want: recursion-limit
# line: 11


class Self:
    def __iter__(self):
        return self

    def __next__(self):
        return next(self)


def run(ctx):
    return next(Self())
