# hostile: replace each of a million letters by two hundred
# fuel: 2000
# want: memory-limit
# line: 9-10


def run(ctx):
    text = 'a' * 10**6
    while True:
        text = text.replace('a', 'b' * 200 + 'a')
