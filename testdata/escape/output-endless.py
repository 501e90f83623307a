# trick: return an object whose items never end
# want: any


class Endless(dict):
    def items(self):
        number = 0
        while True:
            number += 1
            yield (str(number), number)

    def __bool__(self):
        return True


def run(ctx):
    return Endless(x=1)
