# hostile: never finish the module body
# want: cpu-limit
# line: 6-7


while True:
    pass


def run(ctx):
    return 1
