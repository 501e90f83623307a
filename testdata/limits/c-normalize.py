# hostile: normalise a million composed characters
# want: cpu-limit
# line: 9-10
import unicodedata


def run(ctx):
    text = '\u0344' * (3 * 10**5)
    while True:
        unicodedata.normalize('NFD', text)
