//go:build !linux && !darwin

package runtime

func imageOf(m memory) *image { return m.(*copied).image }
