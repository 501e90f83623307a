# hostile: a representation that asks for itself
# want: recursion-limit
# line: 8


class Self:
    def __repr__(self):
        return repr([self])


def run(ctx):
    return repr(Self())
