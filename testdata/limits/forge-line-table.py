# hostile: loop in a function whose line table, file name and name are forged
# want: cpu-limit


def loop():
    while True:
        pass


def run(ctx):
    loop.__code__ = loop.__code__.replace(co_linetable=b"\xff" * 40, co_filename="x\ny" * 10000, co_name="run\nworkflow.py:1", co_firstlineno=2**31 - 1)
    loop()
