# hostile: loop in a function without a line table
# want: cpu-limit


def loop():
    while True:
        pass


def run(ctx):
    loop.__code__ = loop.__code__.replace(co_linetable=b'')
    loop()
