# hostile: copy a structure whose parts are shared a million times
# want: cpu-limit
# line: 9-10
import copy


def run(ctx):
    data = [[[i] for i in range(100)] for _ in range(100)]
    while True:
        copy.deepcopy(data)
