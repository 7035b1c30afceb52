package stepfunctions

import (
	"bytes"
	"encoding/binary"

	"go.etcd.io/bbolt"
)

type getExecutionHistoryInput struct {
	ARN         string `json:"executionArn"`
	IncludeData *bool  `json:"includeExecutionData"`
	MaxResults  int    `json:"maxResults"`
	NextToken   string `json:"nextToken"`
	Reverse     bool   `json:"reverseOrder"`
}

// maxHistoryBytes bounds the data of one page; a page has one event at least.
const maxHistoryBytes = 4 << 20

// historyPage collects the events of one answer.
type historyPage struct {
	execution uint64
	region    string
	reverse   bool
	data      bool
	at        int64 // id of the first event wanted; 0 is the beginning (or end)
	size      int
	bytes     int
	events    []members
	next      int64 // id of the first event that did not fit; 0 if all did
}

func (s *Service) getExecutionHistory(in getExecutionHistoryInput) (any, error) {
	size, err := pageSize(in.MaxResults)
	if err != nil {
		return nil, err
	}
	question := "history " + in.ARN
	if in.Reverse {
		question += " reverse"
	}
	at, err := openPageToken(question, in.NextToken)
	if err != nil {
		return nil, err
	}
	p := &historyPage{region: s.opts.Region, reverse: in.Reverse, size: size, data: in.IncludeData == nil || *in.IncludeData, events: []members{}}
	if at != nil {
		n, _ := binary.Varint(at)
		p.at = n
	}
	err = s.db.View(func(tx *bbolt.Tx) error {
		ex, err := s.findExecution(tx, in.ARN)
		if err != nil {
			return err
		}
		p.execution = ex.Seq
		return p.read(tx.Bucket(historyBucket).Cursor())
	})
	if err != nil {
		return nil, err
	}
	out := members{"events": p.events}
	if p.next != 0 {
		out["nextToken"] = pageToken(question, binary.AppendVarint(nil, p.next))
	}
	return out, nil
}

func (p *historyPage) read(c *bbolt.Cursor) error {
	step := c.Next
	if p.reverse {
		step = c.Prev
	}
	prefix := key(p.execution)
	for k, batch := p.seek(c); bytes.HasPrefix(k, prefix); k, batch = step() {
		events, err := decodeBatch(batch)
		if err != nil {
			return err
		}
		if !p.take(int64(seqOf(k)), events) {
			return nil
		}
	}
	return nil
}

// seek finds the batch that holds the first event wanted.
func (p *historyPage) seek(c *bbolt.Cursor) (k, batch []byte) {
	from := uint64(max(p.at, 1)) // every history has a batch that begins at 1
	if p.at == 0 && p.reverse {
		from = 1<<64 - 1
	}
	return c.Seek(seekLast(c, key(p.execution, from)))
}

// take adds a batch's events to the page, and reports whether there is room for
// more.
func (p *historyPage) take(first int64, events []event) bool {
	for i := range events {
		j := i
		if p.reverse {
			j = len(events) - 1 - i
		}
		id, e := first+int64(j), &events[j]
		if p.at != 0 && (p.reverse && id > p.at || !p.reverse && id < p.at) {
			continue
		}
		if len(p.events) == p.size || len(p.events) > 0 && p.bytes+len(e.text) > maxHistoryBytes {
			p.next = id
			return false
		}
		if p.data {
			p.bytes += len(e.text)
		}
		p.events = append(p.events, e.view(id, p.region, p.data))
	}
	return true
}
