# hostile: eight nested loops of a hundred rounds each
# want: cpu-limit
# line: 8-16


def run(ctx):
    r = range(100)
    for a in r:
        for b in r:
            for c in r:
                for d in r:
                    for e in r:
                        for f in r:
                            for g in r:
                                for h in r:
                                    pass
