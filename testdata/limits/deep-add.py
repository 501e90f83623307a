# hostile: an operator that calls itself through C
# want: recursion-limit
# line: 8


class Self:
    def __add__(self, other):
        return self + other


def run(ctx):
    return Self() + 1
