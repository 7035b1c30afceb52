package preview

import (
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"windlass/eventstore"
)

// Row is a session's text so far, as it stands in the live table.
type Row struct {
	Step
	// Text and Reasoning are the ends of what was said.
	Text, Reasoning Piece
}

// maxRow bounds each of a row's texts, in bytes: both together, and what stands around
// them, fit into an item.
const maxRow = 128 << 10

// lives is how long a row stays after it was written.
const lives = time.Hour

// Frames are the row as a client is told of it.
func (r Row) Frames(session string) [][]byte {
	return append(r.preview(session, reasoning, r.Reasoning).All(), r.preview(session, text, r.Text).All()...)
}

func (r Row) size() int { return len(r.Text.Text) + len(r.Reasoning.Text) }

// place orders the rows of one operation. Within a run more text is newer, so that a
// write that is late, or repeated, takes nothing back.
func (r Row) place() string {
	return fmt.Sprintf("%06d.%06d.%06d.%012d", r.Round, r.Attempt, r.Run, r.Text.End()+r.Reasoning.End())
}

type item = map[string]types.AttributeValue

func str(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func num(n int) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.Itoa(n)}
}

func key(s eventstore.Stream) item {
	return item{"pk": str("preview#" + s.Tenant + "#" + s.Session), "sk": str("preview")}
}

func (r Row) item(s eventstore.Stream, now time.Time) item {
	i := key(s)
	i["kind"], i["expires"] = str("preview"), num(int(now.Add(lives).Unix()))
	i["operation"], i["place"] = str(r.Operation), str(r.place())
	i["round"], i["attempt"], i["run"] = num(r.Round), num(r.Attempt), num(r.Run)
	i["text"], i["textFrom"] = str(r.Text.Text), num(r.Text.From)
	i["reasoning"], i["reasoningFrom"] = str(r.Reasoning.Text), num(r.Reasoning.From)
	return i
}

func read(i item) (Row, error) {
	f := fields{item: i}
	r := Row{
		Step:      Step{f.text("operation"), f.number("round"), f.number("attempt"), f.number("run")},
		Text:      Piece{f.number("textFrom"), f.text("text")},
		Reasoning: Piece{f.number("reasoningFrom"), f.text("reasoning")},
	}
	if f.bad != "" {
		return Row{}, fmt.Errorf("preview: a row of the live table: attribute %s is missing or wrong; it is overwritten by the next answer", f.bad)
	}
	return r, nil
}

// fields reads attributes and remembers one that is not as it must be.
type fields struct {
	item item
	bad  string
}

func (f *fields) text(name string) string {
	s, ok := f.item[name].(*types.AttributeValueMemberS)
	if !ok {
		f.bad = name
		return ""
	}
	return s.Value
}

func (f *fields) number(name string) int {
	n, ok := f.item[name].(*types.AttributeValueMemberN)
	if !ok {
		f.bad = name
		return 0
	}
	v, err := strconv.Atoi(n.Value)
	if err != nil || v < 0 {
		f.bad = name
	}
	return v
}
