# hostile: exec of a loop, compiled under another file's name
# want: cpu-limit
# line: 7


def run(ctx):
    exec(compile('while True: pass', '/etc/passwd', 'exec'), {})
