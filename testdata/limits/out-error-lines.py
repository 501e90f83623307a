# hostile: fail with an error text of a million lines
# fuel: 2000
# want: exception


def run(ctx):
    raise ValueError('x\n' * 10**6)
