package dynamodb

import (
	"maps"
	"slices"
	"strings"

	"windlass/localstack/dynamodb/attribute"
	"windlass/localstack/dynamodb/jsonread"
)

func compareStrings(a, b string) int { return strings.Compare(a, b) }

// merge joins field sets.
func merge(sets ...fieldSet) fieldSet {
	all := fieldSet{}
	for _, set := range sets {
		maps.Copy(all, set)
	}
	return all
}

// accounting is what a request may ask about what it consumes.
var accounting = fieldSet{
	"ReturnConsumedCapacity":      oneOf("ReturnConsumedCapacity", func(in *request) *string { return &in.accounting }, "NONE", "TOTAL"),
	"ReturnItemCollectionMetrics": oneOf("ReturnItemCollectionMetrics", ignored, "NONE"),
}

func ignored(*request) *string { return new(string) }

var (
	tableField  = fieldSet{"TableName": text(func(in *request) *string { return &in.table })}
	itemField   = fieldSet{"Item": func(r *jsonread.Reader, in *request) { in.item = attribute.ReadItem(r) }}
	keyField    = fieldSet{"Key": func(r *jsonread.Reader, in *request) { in.key = attribute.ReadItem(r) }}
	valueField  = fieldSet{"ExpressionAttributeValues": readValues}
	nameField   = fieldSet{"ExpressionAttributeNames": readNames}
	placeholder = merge(nameField, valueField)

	conditionField = merge(placeholder, fieldSet{
		"ConditionExpression":                 text(func(in *request) *string { return &in.condition }),
		"ReturnValuesOnConditionCheckFailure": oneOf("ReturnValuesOnConditionCheckFailure", func(in *request) *string { return &in.onFailure }, "NONE", "ALL_OLD"),
	})
	updateField     = fieldSet{"UpdateExpression": text(func(in *request) *string { return &in.update })}
	projectionField = merge(nameField, fieldSet{
		"ProjectionExpression": text(func(in *request) *string { return &in.projection }),
	})
	consistentField = fieldSet{"ConsistentRead": func(r *jsonread.Reader, in *request) { in.consistent = r.Bool() }}
	returnOld       = fieldSet{"ReturnValues": oneOf("ReturnValues", func(in *request) *string { return &in.returnValues }, "NONE", "ALL_OLD")}
	returnAny       = fieldSet{"ReturnValues": oneOf("ReturnValues", func(in *request) *string { return &in.returnValues },
		"NONE", "ALL_OLD", "UPDATED_OLD", "ALL_NEW", "UPDATED_NEW")}
	pageFields = merge(projectionField, valueField, consistentField, fieldSet{
		"Limit":             func(r *jsonread.Reader, in *request) { in.limit = r.Int() },
		"ExclusiveStartKey": func(r *jsonread.Reader, in *request) { in.start = attribute.ReadItem(r) },
		"FilterExpression":  text(func(in *request) *string { return &in.filter }),
		"Select":            oneOf("Select", func(in *request) *string { return &in.selects }, "ALL_ATTRIBUTES", "SPECIFIC_ATTRIBUTES", "COUNT"),
	})
)

// What each operation knows.
var (
	putFields    = merge(tableField, itemField, conditionField, returnOld, accounting)
	deleteFields = merge(tableField, keyField, conditionField, returnOld, accounting)
	updateFields = merge(tableField, keyField, conditionField, updateField, returnAny, accounting)
	getFields    = merge(tableField, keyField, projectionField, consistentField, accounting)
	scanFields   = merge(tableField, pageFields, accounting)
	queryFields  = merge(scanFields, fieldSet{
		"KeyConditionExpression": text(func(in *request) *string { return &in.keyRange }),
		"ScanIndexForward":       func(r *jsonread.Reader, in *request) { in.backward = !r.Bool() },
	})
	transactFields = merge(accounting, fieldSet{
		"ClientRequestToken": text(func(in *request) *string { return &in.token }),
		"TransactItems":      readActions,
	})
	batchGetFields = merge(accounting, fieldSet{"RequestItems": readBatch})
)

// actionFields are those of each verb in a transaction.
var actionFields = map[string]fieldSet{
	"Put":            merge(tableField, itemField, conditionField),
	"Delete":         merge(tableField, keyField, conditionField),
	"ConditionCheck": merge(tableField, keyField, conditionField),
	"Update":         merge(tableField, keyField, conditionField, updateField),
	"Get":            merge(tableField, keyField, projectionField),
}

func readActions(r *jsonread.Reader, in *request) {
	for i := range r.Array() {
		for verb := range r.Object() {
			fields, ok := actionFields[verb]
			switch {
			case !ok:
				r.Fail(validation("unknown field TransactItems[%d].%s", i, verb))
			case len(in.actions) > i:
				r.Fail(validation("TransactItems can only contain one of Check, Put, Update or Delete"))
			case r.Null():
			default:
				in.actions = append(in.actions, action{verb, readRequest(r, fields)})
			}
			if r.Err() != nil {
				return
			}
		}
		if len(in.actions) <= i {
			r.Fail(validation("Invalid Request: TransactItems should contain Delete, Put, Update, ConditionCheck or Get"))
			return
		}
	}
}

var batchTableFields = merge(projectionField, consistentField, fieldSet{
	"Keys": func(r *jsonread.Reader, in *request) {
		for range r.Array() {
			in.keys = append(in.keys, attribute.ReadItem(r))
		}
	},
})

func readBatch(r *jsonread.Reader, in *request) {
	for name := range r.Object() {
		if slices.ContainsFunc(in.batch, func(o *request) bool { return o.table == name }) {
			r.Fail(validation("RequestItems names table %s twice", name))
			return
		}
		one := readRequest(r, batchTableFields)
		one.table = name
		in.batch = append(in.batch, one)
	}
}
