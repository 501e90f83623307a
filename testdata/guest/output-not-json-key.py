# want: output-invalid
# says: output['a'][1] has the key 1, of type int: write str(key)
import dataclasses, datetime, decimal, enum

@dataclasses.dataclass
class D:
    a: int

class E(enum.Enum):
    A = "a"

def ring():
    r = []
    r.append(r)
    return r

def run(ctx):
    return {"a": [0, {1: 2}]}
