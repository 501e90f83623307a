# hostile: compile a long expression in a loop
# want: cpu-limit
# line: 8-9


def run(ctx):
    text = '+'.join(['1'] * 2000)
    while True:
        compile(text, 'x', 'eval')
