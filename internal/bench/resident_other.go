//go:build !linux

package main

import "errors"

func readResident() (resident, error) { return resident{}, errors.ErrUnsupported }
