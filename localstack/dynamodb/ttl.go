package dynamodb

import (
	"context"

	"windlass/localstack/awsjson"
)

// Time to live is recorded and described. Nothing is deleted: at AWS an expired
// item may stay for days, so callers must not count on its absence.

type timeToLive struct {
	AttributeName string
	Enabled       bool
}

type updateTTLRequest struct {
	TableName               string
	TimeToLiveSpecification *timeToLive
}

func (s *Service) updateTimeToLive(_ context.Context, body []byte) (any, error) {
	var in updateTTLRequest
	if err := awsjson.Decode(body, &in); err != nil {
		return nil, err
	}
	t, err := s.table(in.TableName)
	if err != nil {
		return nil, err
	}
	spec := in.TimeToLiveSpecification
	switch {
	case spec == nil || spec.AttributeName == "":
		return nil, validation("TimeToLiveSpecification with an AttributeName is required")
	case spec.Enabled && t.Spec.TTLAttribute != "":
		return nil, validation("TimeToLive is already enabled")
	case !spec.Enabled && t.Spec.TTLAttribute == "":
		return nil, validation("TimeToLive is already disabled")
	}
	row := t.stored
	row.Spec.TTLAttribute = ""
	if spec.Enabled {
		row.Spec.TTLAttribute = spec.AttributeName
	}
	if err := s.replaceTable(row); err != nil {
		return nil, err
	}
	return map[string]any{"TimeToLiveSpecification": spec}, nil
}

func (s *Service) describeTimeToLive(_ context.Context, body []byte) (any, error) {
	t, err := s.named(body)
	if err != nil {
		return nil, err
	}
	description := map[string]string{"TimeToLiveStatus": "DISABLED"}
	if name := t.Spec.TTLAttribute; name != "" {
		description = map[string]string{"TimeToLiveStatus": "ENABLED", "AttributeName": name}
	}
	return map[string]any{"TimeToLiveDescription": description}, nil
}
