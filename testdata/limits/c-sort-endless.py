# hostile: sort with a comparison that never answers
# want: cpu-limit
# line: 8-9


class Never:
    def __lt__(self, other):
        while True:
            pass


def run(ctx):
    return len(sorted([Never(), Never()]))
