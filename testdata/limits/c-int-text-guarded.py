# hostile: turn a text of a million digits into a number, with the guard of the interpreter in place
# want: exception
# line: 7


def run(ctx):
    return int('7' * 10**6) % 10
