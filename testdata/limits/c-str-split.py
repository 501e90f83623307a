# hostile: split a long text into millions of parts
# want: cpu-limit
# line: 8-9


def run(ctx):
    text = 'a ' * 10**6
    while True:
        text.split(' ')
