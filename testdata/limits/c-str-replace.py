# hostile: replace in a long text without making it longer
# want: cpu-limit
# line: 8-9


def run(ctx):
    text = 'ab' * 10**7
    while True:
        text.replace('ab', 'cd')
