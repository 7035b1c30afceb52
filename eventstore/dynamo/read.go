package dynamo

import (
	"context"
	"math"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"windlass/eventstore"
)

// Records implements [eventstore.Driver].
func (d *Driver) Records(ctx context.Context, q eventstore.RecordQuery) ([]eventstore.Record, bool, error) {
	side := ">="
	if q.Descending {
		side = "<="
	}
	items, more, err := d.query(ctx, "records", eventstore.RecordPartition(q.Stream), side, eventstore.SeqKey(q.From), q.Descending, q.Limit)
	if err != nil {
		return nil, false, err
	}
	page, err := read(items, readRecord)
	return page, more && err == nil, err
}

// Row implements [eventstore.Driver].
func (d *Driver) Row(ctx context.Context, key eventstore.RowKey) (eventstore.Row, bool, error) {
	i, err := d.get(ctx, key)
	if err != nil || i == nil {
		return eventstore.Row{}, false, err
	}
	row, err := readRow(i)
	return row, err == nil, err
}

// Rows implements [eventstore.Driver].
func (d *Driver) Rows(ctx context.Context, q eventstore.RowQuery) ([]eventstore.Row, bool, error) {
	side := ">"
	if q.Descending {
		side = "<"
	}
	if q.After == "" {
		side = ""
	}
	items, more, err := d.query(ctx, "rows", q.Partition, side, q.After, q.Descending, q.Limit)
	if err != nil {
		return nil, false, err
	}
	page, err := read(items, readRow)
	return page, more && err == nil, err
}

// query reads one page of a partition, on one side of a sort key if there is a
// side.
func (d *Driver) query(ctx context.Context, op, partition, side, sort string, descending bool, limit int) ([]item, bool, error) {
	if limit < 1 {
		return nil, false, eventstore.Errorf(eventstore.Invalid, op, "limit %d, want 1 or more", limit)
	}
	if err := alive(ctx, op); err != nil {
		return nil, false, err
	}
	in := &dynamodb.QueryInput{
		TableName: d.table, ConsistentRead: aws.Bool(true), ScanIndexForward: aws.Bool(!descending),
		KeyConditionExpression:    aws.String(attrPK + " = :pk"),
		ExpressionAttributeValues: item{":pk": text(partition)},
	}
	if side != "" {
		in.KeyConditionExpression = aws.String(attrPK + " = :pk AND " + attrSK + " " + side + " :sk")
		in.ExpressionAttributeValues[":sk"] = text(sort)
	}
	if limit < math.MaxInt32 {
		in.Limit = aws.Int32(int32(limit))
	}
	out, err := d.client.Query(ctx, in)
	if err != nil {
		return nil, false, coded(op, err)
	}
	return out.Items, len(out.LastEvaluatedKey) > 0, nil
}

// get returns nil for an item that does not exist.
func (d *Driver) get(ctx context.Context, key eventstore.RowKey) (item, error) {
	if err := alive(ctx, "row"); err != nil {
		return nil, err
	}
	out, err := d.client.GetItem(ctx, &dynamodb.GetItemInput{TableName: d.table, Key: keyOf(key), ConsistentRead: aws.Bool(true)})
	if err != nil {
		return nil, coded("row", err)
	}
	if len(out.Item) == 0 {
		return nil, nil
	}
	return out.Item, nil
}

func read[T any](items []item, one func(item) (T, error)) ([]T, error) {
	var page []T
	for _, i := range items {
		v, err := one(i)
		if err != nil {
			return nil, err
		}
		page = append(page, v)
	}
	return page, nil
}
