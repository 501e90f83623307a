# hostile: exact statistics of numbers of every size
# want: cpu-limit
# line: 9-10
import statistics


def run(ctx):
    data = [10.0**i for i in range(-300, 300)] * 5
    while True:
        statistics.stdev(data)
