# want: exception
# says: JSONDecodeError: Expecting property name
# line: 6
import json
def run(ctx):
    return json.loads("{bad")
