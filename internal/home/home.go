// Package home says where Runlace keeps things.
package home

import "os"

// CacheVariable names the environment variable with the folder of the sandbox's cache.
const CacheVariable = "RUNLACE_CACHE"

// Cache is the folder that CacheVariable names, empty for the default: runlace in the user's cache folder.
func Cache() string { return os.Getenv(CacheVariable) }
