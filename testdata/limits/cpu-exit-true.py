# hostile: a context manager that swallows every exception
# want: cpu-limit
# line: 15-18


class Swallow:
    def __enter__(self):
        return self

    def __exit__(self, *args):
        return True


def run(ctx):
    while True:
        with Swallow():
            while True:
                pass
