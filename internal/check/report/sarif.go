package report

import (
	"io"
	"net/url"
	"strings"

	"github.com/runlace/runlace/internal/fault"
)

const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

type object = map[string]any

func writeSARIF(w io.Writer, r *Report) error {
	rules, results := []object{}, []object{}
	index := map[string]int{}
	prints := r.fingerprints()
	for i, f := range r.Findings {
		if _, ok := index[f.Code]; !ok {
			index[f.Code] = len(rules)
			rules = append(rules, rule(f.Code))
		}
		location := object{"artifactLocation": object{"uri": uri(f.File), "uriBaseId": "%SRCROOT%"}}
		if f.Line > 0 {
			region := object{"startLine": f.Line}
			if f.Column > 0 {
				region["startColumn"] = f.Column
			}
			location["region"] = region
		}
		properties := object{}
		for name, value := range map[string]string{"workflow": f.Workflow, "case": f.Case, "hint": f.Hint} {
			if value != "" {
				properties[name] = value
			}
		}
		results = append(results, object{
			"ruleId": f.Code, "ruleIndex": index[f.Code], "level": "error", "message": object{"text": f.full()},
			"locations":           []object{{"physicalLocation": location}},
			"partialFingerprints": object{"runlace/v1": prints[i]},
			"properties":          properties,
		})
	}
	return encode(w, object{
		"$schema": sarifSchema, "version": "2.1.0",
		"runs": []object{{
			"tool":               object{"driver": object{"name": "Runlace", "version": r.Version, "rules": rules}},
			"columnKind":         "unicodeCodePoints",
			"originalUriBaseIds": object{"%SRCROOT%": object{"description": object{"text": "the top of the repository"}}},
			"invocations":        []object{{"executionSuccessful": true, "startTimeUtc": r.Started.UTC().Format("2006-01-02T15:04:05.000Z")}},
			"results":            results,
		}},
	}, "  ")
}

func rule(code string) object {
	e, _ := fault.Lookup(code) // New made the finding, so it is there
	return object{
		"id": code, "name": camel(code), "shortDescription": object{"text": e.Meaning}, "fullDescription": object{"text": e.Meaning},
		"help": object{"text": "To do: " + e.Hint}, "defaultConfiguration": object{"level": "error"},
	}
}

// camel makes act-differs into ActDiffers, as names of rules are written.
func camel(code string) string {
	var b strings.Builder
	for _, word := range strings.Split(code, "-") {
		if word != "" {
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
}

// uri is a relative file as a reference.
func uri(file string) string { return (&url.URL{Path: file}).String() }
