# hostile: ask for files for ever
# want: cpu-limit
# line: 7-12


def run(ctx):
    while True:
        try:
            open('/etc/passwd').close()
            return 'opened'
        except OSError:
            pass
