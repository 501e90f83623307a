# hostile: a finalizer that never returns
# want: cpu-limit
# line: 8-9


class Forever:
    def __del__(self):
        while True:
            pass


def run(ctx):
    Forever()
    return 1
