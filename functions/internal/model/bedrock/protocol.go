package bedrock

import (
	"bytes"
	"context"
	"io"
	"mime"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"github.com/aws/smithy-go/transport/http/protocol/restjson1"

	"windlass/functions/internal/model/wire"
)

// maxFrame bounds one frame of a stream: the largest answer, as base64.
const maxFrame = 2 * wire.MaxAnswer

// protocol is the SDK's own with the body as it is given: the SDK would write the
// messages before what never changes, and fail on an object with an empty key. It is
// made for one request, because the SDK's shares its decoder without a lock.
type protocol struct {
	smithyhttp.ClientProtocol
	body []byte
}

func newProtocol(body []byte) *protocol { return &protocol{restjson1.New(nil), body} }

func (p *protocol) SerializeRequest(ctx context.Context, op *smithy.OperationSchema, in smithy.Serializable, req *smithyhttp.Request) error {
	if err := p.ClientProtocol.SerializeRequest(ctx, op, in, req); err != nil {
		return err
	}
	built, err := req.SetStream(bytes.NewReader(p.body))
	if err != nil {
		return err
	}
	*req = *built
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/vnd.amazon.eventstream")
	return nil
}

func (p *protocol) DeserializeResponse(ctx context.Context, op *smithy.OperationSchema, t *smithy.TypeRegistry, res *smithyhttp.Response, out smithy.Deserializable) error {
	if kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")); kind != "application/vnd.amazon.eventstream" {
		_ = res.Body.Close() // the SDK leaves it open
		return wire.ErrNoAnswer
	}
	return p.ClientProtocol.DeserializeResponse(ctx, op, t, res, out)
}

// DeserializeEventMessage tells a stream that ends within a frame from one that ends
// behind it: the SDK calls both the end.
func (p *protocol) DeserializeEventMessage(schema *smithy.Schema, t *smithy.TypeRegistry, r io.Reader) (smithy.Deserializable, error) {
	f := &frame{r: r}
	event, err := p.ClientProtocol.DeserializeEventMessage(schema, t, f)
	switch {
	case f.err != nil:
		return nil, f.err
	case err == io.EOF && f.n > 0:
		return nil, wire.ErrBrokeOff
	}
	return event, err
}

// frame counts what is read of one.
type frame struct {
	r   io.Reader
	n   int
	err error // why it could not be read, but for the end
}

func (f *frame) Read(b []byte) (int, error) {
	if f.n > maxFrame {
		f.err = wire.ErrTooLarge
		return 0, f.err
	}
	n, err := f.r.Read(b)
	if f.n += n; err != nil && err != io.EOF {
		f.err = err
	}
	return n, err
}
