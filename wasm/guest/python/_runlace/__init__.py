"""The guest's own Python: what stands between a workflow and the host functions.

    allowlist  the modules that a workflow may import
    context    ctx, and ToolError
    values     strict JSON, and what to write instead of what JSON cannot say
    stdio      standard output and error, as the run's log
    typestubs  the module runlace_types as it is at run time
    entry      compiles a workflow, runs it, reports how it failed

All of it is in the image: nothing is loaded in a run. None of it is a boundary: a workflow that gets behind it finds the
same host functions that ctx calls, and nothing else.
"""
