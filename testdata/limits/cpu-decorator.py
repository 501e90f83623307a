# hostile: loop in a decorator's class body, a metaclass and a default argument
# want: cpu-limit
# line: 8-9


class Meta(type):
    def __new__(mcls, name, bases, names):
        while True:
            pass


class Made(metaclass=Meta):
    pass


def run(ctx):
    return 1
