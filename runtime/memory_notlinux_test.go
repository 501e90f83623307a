//go:build !linux

package runtime

func forgetful() *pager { return nil }
