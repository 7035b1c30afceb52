package stepfunctions

import (
	"encoding/base64"
	"encoding/binary"

	"windlass/localstack/awsjson"
)

const (
	defaultPage = 100
	maxPage     = 1000
)

func pageSize(asked int) (int, error) {
	switch {
	case asked < 0 || asked > maxPage:
		return 0, awsjson.Errorf("ValidationException", "maxResults must be from 0 to %d", maxPage)
	case asked == 0:
		return defaultPage, nil
	}
	return asked, nil
}

// pageToken carries on a listing at a place, for the very same question.
func pageToken(question string, at []byte) string {
	t := binary.AppendUvarint(nil, uint64(len(question)))
	return base64.RawURLEncoding.EncodeToString(append(append(t, question...), at...))
}

// openPageToken returns the place; an empty token is the beginning (nil).
func openPageToken(question, token string) ([]byte, error) {
	if token == "" {
		return nil, nil
	}
	t, err := base64.RawURLEncoding.DecodeString(token)
	if err == nil {
		if head, at, err := unframe(t); err == nil && string(head) == question && len(at) > 0 {
			return at, nil
		}
	}
	return nil, awsjson.Errorf("InvalidToken", "Invalid Token: 'the page token is not one for this request'")
}
