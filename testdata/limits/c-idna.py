# hostile: the quadratic case of the idna codec
# want: cpu-limit
# line: 8-12


def run(ctx):
    text = '\u0645\u0627' * 30 + 'a'
    while True:
        try:
            (text * 50).encode('idna')
        except UnicodeError:
            pass
