package dynamodb

import (
	"regexp"

	"windlass/localstack/dynamodb/attribute"
)

// KeyAttribute is one part of a primary key. Kind is S, N or B.
type KeyAttribute struct {
	Name string
	Kind attribute.Kind
}

// TableSpec describes a table. SortKey.Name is "" for a table without sort key,
// Stream is "" for one without stream, TTLAttribute "" for one that expires
// nothing.
type TableSpec struct {
	Name             string
	HashKey, SortKey KeyAttribute
	Stream           string // NEW_AND_OLD_IMAGES, NEW_IMAGE, OLD_IMAGE or KEYS_ONLY
	TTLAttribute     string
}

var tableName = regexp.MustCompile(`^[a-zA-Z0-9_.-]{3,255}$`)

func (s TableSpec) check() error {
	if !tableName.MatchString(s.Name) {
		return constraint("tableName", "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+, length 3 to 255")
	}
	if s.HashKey.Name == "" {
		return validation("No Hash Key specified in schema.  All Dynamo DB tables must have exactly one hash key")
	}
	if s.HashKey.Name == s.SortKey.Name {
		return validation("Both the Hash Key and the Range Key element in the KeySchema have the same name")
	}
	for _, k := range s.keys() {
		switch {
		case len(k.Name) > 255:
			return constraint("keySchema.attributeName", "Member must have length less than or equal to 255")
		case k.Kind != attribute.String && k.Kind != attribute.Number && k.Kind != attribute.Binary:
			return constraint("attributeDefinitions.attributeType", "Member must satisfy enum value set: [B, N, S]")
		}
	}
	switch s.Stream {
	case "", "NEW_AND_OLD_IMAGES", "NEW_IMAGE", "OLD_IMAGE", "KEYS_ONLY":
		return nil
	}
	return constraint("streamSpecification.streamViewType", "Member must satisfy enum value set: [NEW_IMAGE, OLD_IMAGE, NEW_AND_OLD_IMAGES, KEYS_ONLY]")
}

// keys lists the parts of the primary key.
func (s TableSpec) keys() []KeyAttribute {
	if s.SortKey.Name == "" {
		return []KeyAttribute{s.HashKey}
	}
	return []KeyAttribute{s.HashKey, s.SortKey}
}

func (s TableSpec) keyNames() []string {
	names := []string{s.HashKey.Name}
	if s.SortKey.Name != "" {
		names = append(names, s.SortKey.Name)
	}
	return names
}

func (s TableSpec) sameKeys(o TableSpec) bool {
	return s.HashKey == o.HashKey && s.SortKey == o.SortKey
}
