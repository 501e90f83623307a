# hostile: return two million numbers
# fuel: 2000
# want: output-limit


def run(ctx):
    return [123456] * (2 * 10**6)
