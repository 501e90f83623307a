# hostile: data classes nested deep, turned into dicts
# want: recursion-limit
# line: 16
import dataclasses


@dataclasses.dataclass
class Node:
    next: object


def run(ctx):
    node = None
    for _ in range(5000):
        node = Node(node)
    return len(dataclasses.asdict(node))
