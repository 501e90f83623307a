# hostile: a class whose making makes a class
# want: recursion-limit or cpu-limit
# line: 8


class Base:
    def __init_subclass__(cls):
        type('C', (cls,), {})


def run(ctx):
    type('C', (Base,), {})
