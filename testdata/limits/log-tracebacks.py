# hostile: raise in finalizers, whose errors are printed
# want: log-limit


class Noisy:
    def __del__(self):
        raise ValueError("noise " * 200)


def run(ctx):
    while True:
        Noisy()
