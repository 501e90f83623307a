# hostile: guess the dialect of a hostile text
# want: cpu-limit
# line: 9-13
import csv


def run(ctx):
    text = ('"' + 'a' * 50 + '",') * 3000 + '\n'
    while True:
        try:
            csv.Sniffer().sniff(text)
        except csv.Error:
            pass
