# hostile: an attribute that asks for itself
# want: recursion-limit
# line: 8


class Mirror:
    def __getattr__(self, name):
        return getattr(self, name + 'x')


def run(ctx):
    return Mirror().x
