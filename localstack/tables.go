package main

import (
	"fmt"

	"windlass/localstack/dynamodb"
	"windlass/localstack/dynamodb/attribute"
	"windlass/localstack/template"
)

func ensureTables(d *dynamodb.Service, tables []template.Table) error {
	for _, t := range tables {
		spec := dynamodb.TableSpec{
			Name:         t.Name,
			HashKey:      keyAttribute(t.HashKey),
			SortKey:      keyAttribute(t.RangeKey),
			Stream:       t.StreamView,
			TTLAttribute: t.TTLAttribute,
		}
		if err := d.EnsureTable(spec); err != nil {
			return fmt.Errorf("table %s: %w: the data directory was made by another template; choose another one with WINDLASS_DATA", t.Name, err)
		}
	}
	return nil
}

func keyAttribute(a template.Attribute) dynamodb.KeyAttribute {
	return dynamodb.KeyAttribute{Name: a.Name, Kind: attribute.Kind(a.Type)}
}
