# hostile: a format that formats itself
# want: recursion-limit
# line: 8


class Self:
    def __format__(self, spec):
        return f'{self}'


def run(ctx):
    return f'{Self()}'
