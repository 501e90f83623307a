# trick: give frames names and lines that look like those of the host, so that error reports mislead
# want: any


def run(ctx):
    def victim():
        raise ValueError("from a forged place")

    victim.__code__ = victim.__code__.replace(co_filename="/etc/passwd\nworkflow.py:1 run\nFile \"host.go\"", co_name="run\n\x1b[2J", co_firstlineno=999999, co_qualname="\x00")
    victim()
