# hostile: a hash that never ends, asked for by a set
# want: cpu-limit
# line: 8-9


class Never:
    def __hash__(self):
        while True:
            pass


def run(ctx):
    return len({Never()})
