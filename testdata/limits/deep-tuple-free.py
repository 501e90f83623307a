# hostile: tuples nested two million deep, freed again
# want: completed or cpu-limit or memory-limit


def run(ctx):
    deep = ()
    for _ in range(2000000):
        deep = (deep,)
    del deep
    return 'freed'
