# hostile: compare and cast memory views in a loop
# want: cpu-limit
# line: 9-10


def run(ctx):
    a = memoryview(bytes(10**7)).cast('B')
    b = memoryview(bytes(10**7)).cast('b')
    while True:
        a == b
