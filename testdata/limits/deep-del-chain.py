# hostile: a chain of a million objects that are freed one through the other
# fuel: 2000
# want: completed


class Link:
    def __init__(self, next):
        self.next = next


def run(ctx):
    chain = None
    for _ in range(300000):
        chain = Link(chain)
    del chain
    return "freed"
