# want: [null,true,false,0,-1,1.5,1e+300,"a\"\\\n\u0001é☃😀",[],{},[1,[2]],{"k":{"":[]}},7,"s"]
import enum
class N(enum.IntEnum):
    SEVEN = 7
class S(str, enum.Enum):
    A = "s"
def run(ctx):
    return [None, True, False, 0, -1, 1.5, 1e300, "a\"\\\n\x01\u00e9\u2603\U0001f600", [], {}, (1, (2,)), {"k": {"": []}}, N.SEVEN, S.A]
