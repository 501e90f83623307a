# want: output-invalid
# says: is -inf, which JSON does not have
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
    return {"a": [0, -float('inf')]}
