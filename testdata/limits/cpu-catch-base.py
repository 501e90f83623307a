# hostile: catch everything, BaseException included, and go on
# want: cpu-limit
# line: 7-12


def run(ctx):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
