# hostile: make identifiers for ever
# want: cpu-limit
# line: 8-10
import uuid


def run(ctx):
    while True:
        uuid.uuid4()
        uuid.uuid1()
