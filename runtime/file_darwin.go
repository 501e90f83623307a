package runtime

import "os"

func unnamed() (*os.File, error) { return unlinked() }

func seal(*os.File) {}
