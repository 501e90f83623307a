# trick: return a list that holds itself
# want: output-invalid or recursion-limit or exception


def run(ctx):
    ring = [1]
    ring.append({"ring": ring})
    return ring
