# trick: fail with an error whose text, class name and notes are functions that fail or never were text
# want: exception


class Mute(Exception):
    __notes__ = 5

    def __str__(self):
        raise Mute("again")

    __repr__ = __str__

    @property
    def args(self):
        raise ValueError("no args")

    @property
    def __traceback__(self):
        return "no traceback"


def run(ctx):
    raise Mute()
