# trick: make run a generator that takes over when the host reads its result
# want: output-invalid


def run(ctx):
    yield 1
    while True:
        yield 2
