# want: exception
# says: Odd: (the exception's own message could not be made)
# line: 8
class Odd(Exception):
    def __str__(self):
        raise ValueError("no text")
def run(ctx):
    raise Odd()
