# hostile: back references that try every split
# want: cpu-limit
# line: 8
import re


def run(ctx):
    return re.match(r'(.+)(.+)(.+)(.+)\1\2\3\4$', 'ab' * 200 + 'c') is None
