# trick: import socket in the open, at the head of the workflow, and let the refusal pass through
# want: import-refused
# native: finds
import socket


def run(ctx):
    return ["socket " + socket.gethostname()]
