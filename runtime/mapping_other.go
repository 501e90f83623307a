//go:build !linux && !darwin

package runtime

import "errors"

// Other systems copy the image: no image has a file there.

type pager struct{}

func newPager() *pager { return &pager{} }

func (p *pager) close() {}

func newMapping(*image, *pager, uint64) (memory, error) { return nil, errors.ErrUnsupported }
