# hostile: order a long run of combining marks, the quadratic case of normalisation
# want: cpu-limit
# line: 9-10
import unicodedata


def run(ctx):
    text = 'a' + '\u0334\u0327\u0301' * 30000
    while True:
        unicodedata.normalize('NFKC', text)
