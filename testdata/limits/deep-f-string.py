# hostile: compile f-strings nested in each other
# want: exception or recursion-limit or syntax-error or completed or memory-limit
# line: 10


def run(ctx):
    text = '1'
    for _ in range(200):
        text = 'f"{' + text + '}"'
    return len(eval(text))
