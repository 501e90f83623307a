# hostile: compare two long sequences without shortcuts
# want: cpu-limit
# line: 9
import difflib


def run(ctx):
    a = ['a', 'b'] * 2000
    return len(difflib.SequenceMatcher(None, a, a[::-1], autojunk=False).get_matching_blocks())
