# hostile: decode a million character references
# want: cpu-limit
# line: 9-10
import html


def run(ctx):
    text = '&NotEqualTilde;&#x1F600;&amp' * 10**5
    while True:
        html.unescape(text)
