# hostile: return a dict of large keys
# want: output-limit


def run(ctx):
    return {f'{i}' + 'k' * 10**5: i for i in range(100)}
