package runtime

import "sync"

// forgetful restores as Linux before 6.7 has to.
func forgetful() *pager { return &pager{fd: -1, vectors: sync.Pool{}} }
