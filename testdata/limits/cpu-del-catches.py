# hostile: a finalizer with a loop that catches everything, run by the collector
# want: cpu-limit


class Knot:
    def __del__(self):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass


def run(ctx):
    knot = Knot()
    knot.me = knot
    del knot
    while True:
        [[] for _ in range(1000)]
