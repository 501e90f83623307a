# hostile: an error whose text never ends being made, left uncaught
# want: cpu-limit
# line: 8-9


class Endless(Exception):
    def __str__(self):
        while True:
            pass


def run(ctx):
    raise Endless()
