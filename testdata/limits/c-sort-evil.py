# hostile: sort with a comparison that always says yes
# want: cpu-limit


class Yes:
    def __lt__(self, other):
        return True


def run(ctx):
    items = [Yes() for _ in range(10**4)]
    while True:
        items.sort()
