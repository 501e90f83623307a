# hostile: nest copies of one list until the sum is large, then write it out
# want: memory-limit or output-limit or cpu-limit


def run(ctx):
    data = ["laugh"]
    for _ in range(9):
        data = [data] * 10
    return data
