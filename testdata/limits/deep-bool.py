# hostile: a truth value that asks for a length that asks for a truth value
# want: recursion-limit
# line: 8


class Self:
    def __len__(self):
        return bool(self)


def run(ctx):
    return bool(Self())
