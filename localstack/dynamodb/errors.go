package dynamodb

import (
	"errors"
	"net/http"

	"windlass/localstack/awsjson"
	"windlass/localstack/dynamodb/attribute"
	"windlass/localstack/dynamodb/expression"
)

func validation(format string, args ...any) error {
	return awsjson.Errorf("ValidationException", format, args...)
}

// constraint words a refusal as AWS's request validator does.
func constraint(field, rule string) error {
	return validation("1 validation error detected: Value at '%s' failed to satisfy constraint: %s", field, rule)
}

func noTable() error {
	return awsjson.Errorf("ResourceNotFoundException", "Requested resource not found")
}

// coded gives the errors of the value and expression packages their codes; any
// other error of a decoder is about the text.
func coded(err error) error {
	var answer *awsjson.Error
	var value *attribute.InvalidError
	var expr *expression.Error
	switch {
	case err == nil || errors.As(err, &answer):
		return err
	case errors.As(err, &value):
		return validation("%s", value.Message)
	case errors.As(err, &expr):
		return validation("%s", expr.Message)
	}
	return awsjson.Errorf("SerializationException", "%v", err)
}

// corrupt reports that the file holds what we cannot have written.
func corrupt(what string, err error) error {
	return &awsjson.Error{Status: http.StatusInternalServerError, Code: "InternalServerError", Message: "stored " + what + " is unreadable: " + err.Error()}
}
