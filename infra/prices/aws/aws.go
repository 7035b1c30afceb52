// Package aws holds what AWS charges, as data. It is read by tests/cost.
package aws

import _ "embed"

// File is the table.
//
//go:embed aws.yaml
var File []byte
