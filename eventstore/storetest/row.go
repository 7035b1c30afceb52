package storetest

import (
	"slices"
	"testing"

	"windlass/eventstore"
)

func rowsMove(t *testing.T, d eventstore.Driver) {
	s := newStream()
	row := func(sort, kind, data string) eventstore.Row {
		return eventstore.Row{RowKey: eventstore.RowKey{Partition: s.String(), Sort: sort}, Kind: kind, Data: []byte(data)}
	}
	elsewhere := row("a", "test", `{"in":"another partition"}`)
	elsewhere.Partition += "+"
	for i, step := range []struct{ move, want []eventstore.Row }{
		{[]eventstore.Row{row("b", "test", `{"é":"\u2028<"}`), row("a", "test", "1"), elsewhere}, []eventstore.Row{row("a", "test", "1"), row("b", "test", `{"é":"\u2028<"}`)}},
		{[]eventstore.Row{row("a", "other", "2"), row("c", "test", "3")}, []eventstore.Row{row("a", "other", "2"), row("b", "test", `{"é":"\u2028<"}`), row("c", "test", "3")}},
		{[]eventstore.Row{row("b", "test", ""), row("nothing", "test", "")}, []eventstore.Row{row("a", "other", "2"), row("c", "test", "3")}},
		{[]eventstore.Row{row("b", "test", "4")}, []eventstore.Row{row("a", "other", "2"), row("b", "test", "4"), row("c", "test", "3")}},
	} {
		mustSend(t, d, eventstore.Write{Record: newRecord(s, uint64(i+1), 1), Rows: step.move})
		got, _ := allRows(t, d, eventstore.RowQuery{Partition: s.String(), Limit: 100})
		equal(t, "rows", step.want, got)
		for _, want := range step.want {
			one, found, err := d.Row(t.Context(), want.RowKey)
			if !found || err != nil {
				t.Errorf("row %s: %v, %v", want.Sort, found, err)
			}
			equal(t, "row", want, one)
		}
	}
	if _, found, err := d.Row(t.Context(), row("nothing", "", "").RowKey); found || err != nil {
		t.Errorf("a deleted row: %v, %v", found, err)
	}
}

func rowsOfRefusedAppends(t *testing.T, d eventstore.Driver) {
	s := newStream()
	row := eventstore.Row{RowKey: eventstore.RowKey{Partition: s.String(), Sort: "a"}, Kind: "test", Data: []byte("1")}
	mustSend(t, d, eventstore.Write{Record: newRecord(s, 1, 1), Rows: []eventstore.Row{row}})
	for _, data := range []string{"2", ""} {
		moved := row
		moved.Data = []byte(data)
		if err := send(t, d, eventstore.Write{Record: newRecord(s, 1, 1), Rows: []eventstore.Row{moved}}); eventstore.CodeOf(err) != eventstore.LostRace {
			t.Fatalf("%v, want %s", err, eventstore.LostRace)
		}
		got, found, err := d.Row(t.Context(), row.RowKey)
		if !found || err != nil {
			t.Fatalf("%v, %v", found, err)
		}
		equal(t, "row", row, got)
	}
}

func rowPaging(t *testing.T, d eventstore.Driver) {
	s := newStream()
	const n = 50
	var want []string
	for i := 0; i < n; i += 10 {
		w := eventstore.Write{Record: newRecord(s, uint64(i+1), 10)}
		for j := range 10 {
			w.Rows = append(w.Rows, eventstore.Row{RowKey: eventstore.RowKey{Partition: s.String(), Sort: name(i + j)}, Kind: "test", Data: []byte("{}")})
			want = append(want, name(i+j))
		}
		mustSend(t, d, w)
	}
	for _, limit := range []int{1, 7, 10, n, 1000} {
		q := eventstore.RowQuery{Partition: s.String(), Limit: limit}
		got, _ := allRows(t, d, q)
		equal(t, "ascending", want, sorts(got))
		q.Descending = true
		got, _ = allRows(t, d, q)
		reversed := slices.Clone(want)
		slices.Reverse(reversed)
		equal(t, "descending", reversed, sorts(got))
	}
	for _, c := range []struct {
		after      string
		descending bool
		want       []string
	}{
		{"009", false, []string{"010", "011"}}, {"0095", false, []string{"010", "011"}}, {"zzz", false, nil},
		{"010", true, []string{"009", "008"}}, {"0095", true, []string{"009", "008"}}, {"000", true, nil},
	} {
		page, _, err := d.Rows(t.Context(), eventstore.RowQuery{Partition: s.String(), After: c.after, Descending: c.descending, Limit: 2})
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "after "+c.after, c.want, sorts(page))
	}
}

func sorts(rows []eventstore.Row) (s []string) {
	for _, r := range rows {
		s = append(s, r.Sort)
	}
	return s
}
