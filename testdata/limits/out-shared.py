# hostile: return a structure of shared parts that unfolds to a hundred million
# want: output-limit or cpu-limit or memory-limit


def run(ctx):
    data = [1] * 100
    for _ in range(3):
        data = [data] * 100
    return data
