// Package prices holds what models cost, as data. It is read by
// functions/internal/price.
package prices

import _ "embed"

// File is the table.
//
//go:embed prices.yaml
var File []byte
