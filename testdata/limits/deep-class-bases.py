# hostile: a chain of a thousand classes, then a call through all of them
# want: completed or recursion-limit or cpu-limit or exception


class Base:
    def go(self):
        return 1


def run(ctx):
    cls = Base
    for _ in range(3000):
        cls = type("C", (cls,), {"go": lambda self, cls=cls: cls.go(self)})
    return cls().go()
