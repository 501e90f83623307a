# hostile: run out of memory inside finalizers, whose errors are ignored
# want: completed


class Hungry:
    def __del__(self):
        [0] * 10**9


def run(ctx):
    for _ in range(5):
        Hungry()
    return "went on"
