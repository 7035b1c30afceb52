package dynamodb

import (
	"context"
	"slices"
	"sort"

	"windlass/localstack/awsjson"
	"windlass/localstack/dynamodb/attribute"
)

type attributeDefinition struct{ AttributeName, AttributeType string }

type keyElement struct{ AttributeName, KeyType string }

type streamSpecification struct {
	StreamEnabled  bool
	StreamViewType string
}

type createTableRequest struct {
	TableName            string
	AttributeDefinitions []attributeDefinition
	KeySchema            []keyElement
	BillingMode          string
	StreamSpecification  *streamSpecification

	ProvisionedThroughput, LocalSecondaryIndexes, GlobalSecondaryIndexes, SSESpecification, Tags, TableClass,
	DeletionProtectionEnabled, WarmThroughput, ResourcePolicy, OnDemandThroughput awsjson.Unsupported
}

func (s *Service) createTable(_ context.Context, body []byte) (any, error) {
	var in createTableRequest
	if err := awsjson.Decode(body, &in); err != nil {
		return nil, err
	}
	spec, err := in.spec()
	if err == nil {
		err = spec.check()
	}
	if err != nil {
		return nil, err
	}
	t, err := s.create(spec)
	if err != nil {
		return nil, err
	}
	return map[string]any{"TableDescription": s.describe(t, "ACTIVE")}, nil
}

func (in createTableRequest) spec() (TableSpec, error) {
	spec := TableSpec{Name: in.TableName}
	if in.BillingMode != "PAY_PER_REQUEST" {
		return spec, validation("BillingMode must be PAY_PER_REQUEST here: throughput is not modelled")
	}
	kinds := map[string]attribute.Kind{}
	for _, d := range in.AttributeDefinitions {
		kinds[d.AttributeName] = attribute.Kind(d.AttributeType)
	}
	for i, k := range in.KeySchema {
		kind, ok := kinds[k.AttributeName]
		if !ok {
			return spec, validation("One or more parameter values were invalid: Some index key attributes are not defined in AttributeDefinitions. Keys: [%s]", k.AttributeName)
		}
		switch {
		case i == 0 && k.KeyType == "HASH":
			spec.HashKey = KeyAttribute{k.AttributeName, kind}
		case i == 1 && k.KeyType == "RANGE":
			spec.SortKey = KeyAttribute{k.AttributeName, kind}
		default:
			return spec, validation("Invalid KeySchema: a HASH element and then at most one RANGE element are required")
		}
	}
	if len(kinds) != len(in.KeySchema) || len(kinds) != len(in.AttributeDefinitions) {
		return spec, validation("One or more parameter values were invalid: Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions")
	}
	if st := in.StreamSpecification; st != nil {
		if st.StreamEnabled == (st.StreamViewType == "") {
			return spec, validation("One or more parameter values were invalid: StreamViewType must be given exactly when StreamEnabled is true")
		}
		spec.Stream = st.StreamViewType
	}
	return spec, nil
}

type tableRequest struct{ TableName string }

func (s *Service) named(body []byte) (*table, error) {
	var in tableRequest
	if err := awsjson.Decode(body, &in); err != nil {
		return nil, err
	}
	t, err := s.table(in.TableName)
	if err != nil && in.TableName != "" {
		return nil, awsjson.Errorf("ResourceNotFoundException", "Requested resource not found: Table: %s not found", in.TableName)
	}
	return t, err
}

func (s *Service) describeTable(_ context.Context, body []byte) (any, error) {
	t, err := s.named(body)
	if err != nil {
		return nil, err
	}
	return map[string]any{"Table": s.describe(t, "ACTIVE")}, nil
}

func (s *Service) deleteTable(_ context.Context, body []byte) (any, error) {
	t, err := s.named(body)
	if err != nil {
		return nil, err
	}
	if err := s.drop(t); err != nil {
		return nil, err
	}
	return map[string]any{"TableDescription": s.describe(t, "DELETING")}, nil
}

// describe leaves out what is not counted: item count and table size.
func (s *Service) describe(t *table, status string) map[string]any {
	var definitions []attributeDefinition
	var schema []keyElement
	for i, k := range t.Spec.keys() {
		definitions = append(definitions, attributeDefinition{k.Name, string(k.Kind)})
		schema = append(schema, keyElement{k.Name, []string{"HASH", "RANGE"}[i]})
	}
	out := map[string]any{
		"TableName": t.Spec.Name, "TableArn": s.tableARN(t.Spec.Name), "TableId": t.ID, "TableStatus": status,
		"CreationDateTime":     float64(t.Created.UnixMilli()) / 1000,
		"AttributeDefinitions": definitions, "KeySchema": schema,
		"BillingModeSummary": map[string]string{"BillingMode": "PAY_PER_REQUEST"},
	}
	if t.Spec.Stream != "" {
		out["StreamSpecification"] = streamSpecification{true, t.Spec.Stream}
		out["LatestStreamArn"], out["LatestStreamLabel"] = s.streamARN(t), t.Label
	}
	return out
}

type listTablesRequest struct {
	ExclusiveStartTableName string
	Limit                   *int
}

func (s *Service) listTables(_ context.Context, body []byte) (any, error) {
	var in listTablesRequest
	if err := awsjson.Decode(body, &in); err != nil {
		return nil, err
	}
	limit := 100
	if in.Limit != nil {
		limit = *in.Limit
	}
	if limit < 1 || limit > 100 {
		return nil, constraint("limit", "Member must be between 1 and 100")
	}
	names := s.tableNames()
	names = names[sort.Search(len(names), func(i int) bool { return names[i] > in.ExclusiveStartTableName }):]
	out := map[string]any{"TableNames": names}
	if len(names) > limit {
		out["TableNames"], out["LastEvaluatedTableName"] = names[:limit], names[limit-1]
	}
	return out, nil
}

func (s *Service) tableNames() []string {
	s.tables.mu.RLock()
	defer s.tables.mu.RUnlock()
	names := make([]string, 0, len(s.tables.byName))
	for name := range s.tables.byName {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
