# hostile: the hash of tuples nested a million deep, which C code computes without a check
# fuel: 2000
# want: recursion-limit
# line: 11


def run(ctx):
    deep = ()
    for _ in range(1000000):
        deep = (deep,)
    return hash(deep) != 0
