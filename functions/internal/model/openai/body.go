package openai

import (
	"bytes"
	"fmt"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/wire"
)

// maxRequest bounds a request, in bytes. No model reads as much; escapes and base64
// make more of a transcript than it was.
const maxRequest = 48 << 20

// input is a body under way.
type input struct {
	out     bytes.Buffer
	written int
	// led is reasoning whose item has not come yet.
	led []native
}

// write appends v's JSON.
func (in *input) write(v any) error {
	if err := wire.AppendJSON(&in.out, v); err != nil {
		return err
	}
	if in.out.Len() > maxRequest {
		return &model.Fault{Code: model.Overflow, Permanent: true, Message: fmt.Sprintf("the transcript makes a request of more than the %d bytes that are sent to a model", maxRequest)}
	}
	return nil
}

func (in *input) item(v any) error {
	if in.written++; in.written > 1 {
		in.out.WriteByte(',')
	}
	return in.write(v)
}
