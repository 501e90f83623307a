# hostile: a dict whose keys all have the same hash
# want: cpu-limit


class Same:
    def __init__(self, number):
        self.number = number

    def __hash__(self):
        return 1

    def __eq__(self, other):
        return self.number == other.number


def run(ctx):
    table = {}
    for i in range(10**6):
        table[Same(i)] = i
