# want: output-invalid
# says: write value.total_seconds()
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
    return {"a": [0, datetime.timedelta(1)]}
