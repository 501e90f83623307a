# hostile: an f-string with a thousand parts of a megabyte
# want: memory-limit
# line: 8


def run(ctx):
    x = 'y' * 10**6
    return len(eval('f"' + '{x}' * 1000 + '"'))
