# trick: make run a class whose instance and class lie about everything
# want: any


class Meta(type):
    def __call__(cls, ctx):
        return ["called the metaclass"]

    def __getattribute__(cls, name):
        return type.__getattribute__(cls, name) if name.startswith("__") else 5


def run(ctx):
    return ["replaced below"]


class run(metaclass=Meta):
    pass
