//go:build linux || darwin

package runtime

func imageOf(m memory) *image {
	switch m := m.(type) {
	case *copied:
		return m.image
	case *mapping:
		return m.image
	}
	return nil
}
