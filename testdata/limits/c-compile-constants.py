# hostile: let the compiler fold constants that grow
# fuel: 2000
# want: cpu-limit or memory-limit or completed
# line: 9-11


def run(ctx):
    text = 'x = (' + '(1 << 120) * ' * 900 + '1)'
    for _ in range(3):
        compile(text, 'x', 'exec')
    return 1
