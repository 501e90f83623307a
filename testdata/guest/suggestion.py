# want: exception
# says: Did you mean: 'sqrt'?
import math
def run(ctx):
    return math.sqr(2)
