# hostile: fail with an error whose class name is nine megabytes long
# fuel: 2000
# want: output-limit


def run(ctx):
    raise type('E' * (9 << 20), (Exception,), {})('x')
