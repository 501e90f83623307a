# hostile: a text that doubles
# want: memory-limit
# line: 8-9


def run(ctx):
    text = 'x'
    while True:
        text += text
