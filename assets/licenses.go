package assets

import (
	"embed"
	"encoding/json"
	"fmt"
	"sync"
)

//go:embed licenses/index.json licenses/*.txt
var licenses embed.FS

// Component is a part of the binary that others wrote.
type Component struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	// License is the licences' names as SPDX has them.
	License string `json:"license"`
	// Part says where it is: "guest", the Python inside, or "host", the program around it.
	Part string `json:"part"`
	// Module is the Go module's path, if it is one.
	Module string `json:"module,omitempty"`
	// Packages are the packages of [Manifest.Sources] that it stands for.
	Packages []string `json:"packages,omitempty"`
	// Files are the texts, by file name in the folder licenses.
	Files []string `json:"files"`
}

// Parts of a [Component].
const (
	PartGuest = "guest"
	PartHost  = "host"
)

// Licenses returns the components.
var Licenses = sync.OnceValues(func() ([]Component, error) {
	b, err := licenses.ReadFile("licenses/index.json")
	if err != nil {
		return nil, err
	}
	var all []Component
	if err := json.Unmarshal(b, &all); err != nil {
		return nil, fmt.Errorf("assets: licenses/index.json: %w", err)
	}
	return all, nil
})

// LicenseText returns one of the texts.
func LicenseText(file string) (string, error) {
	b, err := licenses.ReadFile("licenses/" + file)
	return string(b), err
}
