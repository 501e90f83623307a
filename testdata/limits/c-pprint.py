# hostile: print a wide structure prettily
# want: cpu-limit
# line: 9-10
import pprint


def run(ctx):
    data = {i: [str(i)] * 5 for i in range(2000)}
    while True:
        pprint.pformat(data, width=1)
