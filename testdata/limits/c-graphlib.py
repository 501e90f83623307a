# hostile: order a dense graph
# want: cpu-limit
# line: 8-9
import graphlib


def run(ctx):
    while True:
        list(graphlib.TopologicalSorter({i: range(i) for i in range(600)}).static_order())
