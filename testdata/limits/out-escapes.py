# hostile: return a text that grows six-fold when it is written
# want: output-limit


def run(ctx):
    return '\x01' * (3 << 19)
