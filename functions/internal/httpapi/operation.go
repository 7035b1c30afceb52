package httpapi

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"windlass/functions/internal/auth"
	"windlass/functions/internal/fault"
)

// MaxWait bounds ?wait=, in seconds: under the gateway's 29 with room to answer.
const MaxWait = 20

func (a *API) operation(ctx context.Context, w http.ResponseWriter, r *http.Request, who auth.Caller) error {
	wait, err := number(r, "wait", 0, 0, MaxWait)
	if err != nil {
		return err
	}
	if wait > 0 {
		ctx = r.Context() // waiting may take longer; each look has its own deadline
	}
	o, err := a.Turns.Settled(ctx, stream(r, who), r.PathValue("operation"), time.Duration(wait)*time.Second)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, o)
	return nil
}

// number reads a query parameter.
func number(r *http.Request, name string, fallback, low, high uint64) (uint64, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil { // Query would leave out what it cannot read
		return 0, fault.New(fault.InvalidRequest, "the query string is malformed")
	}
	values, ok := query[name]
	if !ok {
		return fallback, nil
	}
	if len(values) == 1 {
		if n, err := strconv.ParseUint(values[0], 10, 64); err == nil && n >= low && n <= high {
			return n, nil
		}
	}
	return 0, fault.New(fault.InvalidRequest, "%s is %.60q; it takes one whole number from %d to %d", name, values, low, high)
}
