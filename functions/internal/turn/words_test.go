package turn_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"windlass/eventstore/event"
	"windlass/functions/internal/turn"
)

func describe(e event.Event) string {
	b, err := e.MarshalJSON()
	if err != nil {
		return err.Error()
	}
	_, data, _ := strings.Cut(string(b), `"data":`)
	at := ""
	if e.Operation != "" {
		at = " " + e.Operation
	}
	if e.Round > 0 {
		at += fmt.Sprintf(" r%d", e.Round)
	}
	return fmt.Sprintf("%d %s%s %s", e.Seq, e.Data.EventType(), at, strings.TrimSuffix(data, "}"))
}

func answer(t *testing.T, words []string) *turn.Answer {
	a := &turn.Answer{Stop: "end", CostUSD: "0.5", Usage: event.Tokens{InputTokens: 10, OutputTokens: 1}, Items: []event.ModelItem{}}
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "stop":
			a.Stop = value
		case "text":
			text := event.Text(value)
			a.Items = append(a.Items, event.ModelItem{Kind: event.ItemText, Text: &text})
		case "calls":
			a.Stop = "tools"
			for i, name := range strings.Split(value, ",") {
				a.Items = append(a.Items, event.ModelItem{Kind: event.ItemToolCall, Call: &event.ToolCall{Index: i, CallID: fmt.Sprint("c", i), Name: name, Arguments: event.Text("{}")}})
			}
		case "fault":
			a.Fault, a.Usage = &turn.Fault{Error: event.Error{Code: value, Message: "m"}}, event.Tokens{}
			a.CostUSD = ""
		case "after":
			a.Fault.After = duration(t, value)
		case "permanent":
			a.Fault.Permanent = true
		case "again":
			a.Fault.Again = true
		case "partial":
			text := event.Text(value)
			a.Partial = &text
		case "file":
			a.Wrote = append(a.Wrote, event.WorkspaceWritten{Path: value})
			a.Items = append(a.Items, event.ModelItem{Kind: event.ItemFile, File: &event.File{Path: value, Type: "image/png"}})
		case "compacted":
			a.Compacted = &event.TranscriptCompacted{Items: number(t, value), Summary: event.Text("so far"), Model: "scripted/x", Usage: a.Usage, CostUSD: "0.01"}
		case "usage":
			if _, err := fmt.Sscanf(value, "%d/%d/%d", &a.Usage.InputTokens, &a.Usage.OutputTokens, &a.Usage.CachedTokens); err != nil {
				t.Fatal(err)
			}
		case "cost":
			a.CostUSD = event.USD(value)
		case "repaired":
			a.Repaired = &event.TranscriptRepaired{Items: 2, Repairs: []event.Repair{{Kind: event.RepairText, Item: 2}}}
		default:
			t.Fatalf("no answer %q", word)
		}
	}
	return a
}

func number(t *testing.T, s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func duration(t *testing.T, s string) time.Duration {
	d, err := time.ParseDuration(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
