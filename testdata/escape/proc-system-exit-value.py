# trick: raise SystemExit whose code is an object with side effects
# want: exit


class Code:
    def __str__(self):
        print("code asked for its text")
        return "[]"

    __repr__ = __str__

    def __index__(self):
        return 0


def run(ctx):
    raise SystemExit(Code())
