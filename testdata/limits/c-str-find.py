# hostile: the worst case of a text search
# want: cpu-limit
# line: 8-9


def run(ctx):
    text, part = 'a' * 10**7, 'a' * 5000 + 'b' + 'a' * 5000
    while True:
        text.find(part)
