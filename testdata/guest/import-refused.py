# want: import-refused
# says: a workflow cannot import 'subprocess'. It can import: abc, 
# line: 5
def run(ctx):
    import subprocess
