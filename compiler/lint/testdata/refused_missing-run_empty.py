# ! missing-run
