package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// outputs are what is used of a stack's.
type outputs struct{ httpURL, liveTable string }

// maxOutputs bounds what is read of them.
const maxOutputs = 1 << 20

func readOutputs(r io.Reader) (o outputs, err error) {
	var list []struct{ OutputKey, OutputValue string }
	if err := json.NewDecoder(io.LimitReader(r, maxOutputs)).Decode(&list); err != nil {
		return o, fmt.Errorf("standard input holds no stack's outputs (sam list stack-outputs --output json): %w", err)
	}
	for _, item := range list {
		switch item.OutputKey {
		case "HttpUrl":
			o.httpURL = item.OutputValue
		case "LiveTableName":
			o.liveTable = item.OutputValue
		}
	}
	if o.httpURL == "" || o.liveTable == "" {
		return o, errors.New("the outputs lack HttpUrl or LiveTableName: is this the right stack?")
	}
	return o, nil
}
