package bedrock

import (
	"encoding/json"
	"regexp"
	"strings"
)

// emptyKey is a key without a name; a text cannot hold two quotes in a row.
var emptyKey = regexp.MustCompile(`""\s*:`)

// keyed gives every key of a call's arguments a name: not all that read them again
// take one that is empty. Keys come sorted then; numbers stay as they are.
func keyed(arguments string) string {
	if !emptyKey.MatchString(arguments) {
		return arguments
	}
	d := json.NewDecoder(strings.NewReader(arguments))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return arguments
	}
	return written(named(v))
}

func named(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = named(v[i])
		}
	case map[string]any:
		for k, e := range v {
			v[k] = named(e)
		}
		if e, ok := v[""]; ok {
			delete(v, "")
			v[free(v)] = e
		}
	}
	return v
}

// free is a key that is not used yet.
func free(m map[string]any) string {
	for k := "_"; ; k += "_" {
		if _, used := m[k]; !used {
			return k
		}
	}
}
