package eventstore

import (
	"strings"
	"unicode/utf8"
)

// checkLimits refuses what no backend could store, before anything is sent.
func checkLimits(d Draft, body []byte, maxBody int) error {
	switch {
	case len(d.Events) == 0:
		return Errorf(Invalid, "append", "a commit needs an event")
	case len(d.Events) > MaxEvents:
		return Errorf(TooLarge, "append", "%d events in one commit, at most %d", len(d.Events), MaxEvents)
	case len(body) > maxBody:
		return Errorf(TooLarge, "append", "the events of one commit are %d bytes, at most %d", len(body), maxBody)
	case d.Closes && len(body) > SpillBody:
		return Errorf(TooLarge, "append", "a commit that closes its stream stands whole in its item: its events are %d bytes, at most %d", len(body), SpillBody)
	case len(d.Summary) > MaxSummary:
		return Errorf(TooLarge, "append", "the summary is %d bytes, at most %d", len(d.Summary), MaxSummary)
	case len(d.By) > MaxName:
		return Errorf(TooLarge, "append", "the driver's name is %d bytes, at most %d", len(d.By), MaxName)
	case len(d.Rows) > MaxRows:
		return Errorf(TooLarge, "append", "%d rows in one commit, at most %d", len(d.Rows), MaxRows)
	case !utf8.Valid(body) || !utf8.Valid(d.Summary) || !utf8.ValidString(d.By):
		return Errorf(Invalid, "append", "the commit is not UTF-8, a backend would change it")
	}
	if err := checkClaim(d); err != nil {
		return err
	}
	seen := map[RowKey]bool{}
	for _, r := range d.Rows {
		if err := checkRow(r); err != nil {
			return err
		}
		if seen[r.RowKey] {
			return Errorf(Invalid, "append", "row %s is moved twice", r.Sort)
		}
		seen[r.RowKey] = true
	}
	return nil
}

func checkClaim(d Draft) error {
	switch {
	case d.Claim == nil:
		return nil
	case !ValidID(d.Claim.Key):
		return Errorf(Invalid, "append", "claim %q is not an id", d.Claim.Key)
	case d.Claim.Event < 0 || d.Claim.Event >= len(d.Events):
		return Errorf(Invalid, "append", "claim %q names event %d of %d", d.Claim.Key, d.Claim.Event, len(d.Events))
	case len(d.Claim.Fingerprint) > MaxName:
		return Errorf(TooLarge, "append", "the fingerprint is %d bytes, at most %d", len(d.Claim.Fingerprint), MaxName)
	case !utf8.ValidString(d.Claim.Fingerprint):
		return Errorf(Invalid, "append", "the fingerprint is not UTF-8")
	}
	return nil
}

func checkRow(r Row) error {
	switch {
	case len(r.Data) > MaxRow:
		return Errorf(TooLarge, "append", "row %s is %d bytes, at most %d", r.Sort, len(r.Data), MaxRow)
	case len(r.Partition) > MaxName || len(r.Sort) > MaxName || len(r.Kind) > MaxName:
		return Errorf(TooLarge, "append", "a row's key or kind is over %d bytes", MaxName)
	case r.Partition == "" || r.Sort == "" || len(r.Data) > 0 && r.Kind == "":
		return Errorf(Invalid, "append", "a row needs a partition, a sort and a kind")
	case !utf8.Valid(r.Data) || !utf8.ValidString(r.Partition+r.Sort+r.Kind):
		return Errorf(Invalid, "append", "row %q is not UTF-8", r.Sort)
	case strings.HasSuffix(r.Partition, commitSuffix), strings.HasSuffix(r.Partition, claimSuffix), r.Kind == KindCommit, r.Kind == KindClaim:
		return Errorf(Invalid, "append", "row %s %s: commits and claims are not rows", r.Partition, r.Sort)
	}
	return nil
}
