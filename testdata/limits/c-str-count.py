# hostile: count a letter in fifty million others
# want: cpu-limit
# line: 8-9


def run(ctx):
    text = 'a' * (5 * 10**7)
    while True:
        text.count('b')
