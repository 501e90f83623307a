# trick: return lists nested a hundred thousand deep
# want: output-invalid or recursion-limit


def run(ctx):
    deep = []
    for _ in range(100000):
        deep = [deep]
    return deep
