# want: ["AttributeError",1000]
import json
def run(ctx):
    sys = json.codecs.sys
    try:
        sys.setrecursionlimit(10**9)
    except AttributeError as e:
        return [type(e).__name__, sys.getrecursionlimit()]
