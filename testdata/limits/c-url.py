# hostile: take a long address apart
# want: cpu-limit
# line: 9-11
import urllib.parse


def run(ctx):
    text = 'a=%41%ff&' * 20000
    while True:
        urllib.parse.parse_qsl(text)
        urllib.parse.unquote(text)
