# hostile: finalizers that start further finalizers at every level
# want: completed


class Link:
    def __init__(self, next):
        self.next = next

    def __del__(self):
        self.next = None


def run(ctx):
    chain = None
    for _ in range(20000):
        chain = Link(chain)
    del chain
    return "freed"
