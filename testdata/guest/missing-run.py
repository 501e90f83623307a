# want: missing-run
x = 1
