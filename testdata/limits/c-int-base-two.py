# hostile: read numbers of a million binary digits, to which the guard does not apply
# want: cpu-limit
# line: 8-9


def run(ctx):
    text = '1' * 10**6
    while True:
        int(text, 2)
