# hostile: encode and decode ten megabytes in a loop
# want: cpu-limit
# line: 9-10
import base64


def run(ctx):
    data = bytes(10**7)
    while True:
        base64.b64decode(base64.b64encode(data))
