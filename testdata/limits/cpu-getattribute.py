# hostile: an attribute that asks for itself in a loop
# want: cpu-limit
# line: 7-12


class Restless:
    def __getattr__(self, name):
        while True:
            try:
                return getattr(self, name + "x" if len(name) < 50 else "y")
            except RecursionError:
                pass


def run(ctx):
    return Restless().x
