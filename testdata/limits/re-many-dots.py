# hostile: many lazy dots over many commas
# want: cpu-limit
# line: 8
import re


def run(ctx):
    return re.search(r'(.*?,){11}P', ','.join(map(str, range(3000)))) is None
