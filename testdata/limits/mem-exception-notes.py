# hostile: an error that grows by notes
# want: memory-limit
# line: 8-9


def run(ctx):
    error = ValueError()
    while True:
        error.add_note('x' * 10**6 + 'y')
