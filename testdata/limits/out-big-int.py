# hostile: return a number of a hundred thousand digits
# want: output-invalid or exception


def run(ctx):
    return 10 ** 100000
