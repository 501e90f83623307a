# hostile: change the case of a text with special letters
# want: cpu-limit
# line: 8-9


def run(ctx):
    text = '\u0130\ufb03' * 10**6
    while True:
        text.lower().upper().title().casefold()
