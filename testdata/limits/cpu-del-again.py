# hostile: a finalizer that makes another of its kind, for ever
# want: cpu-limit


class Phoenix:
    def __del__(self):
        Phoenix()


def run(ctx):
    Phoenix()
    while True:
        pass
