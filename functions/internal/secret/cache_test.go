package secret

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

const (
	first  = "sk-first-0123456789"
	second = "sk-second-0123456789"
)

// vault is a Reader that counts, takes a second, and says what it is told to.
type vault struct {
	mu    sync.Mutex
	value string
	err   error
	reads int
}

func (v *vault) Read(ctx context.Context, ref Ref) (string, error) {
	v.mu.Lock()
	v.reads++
	value, err := v.value, v.err
	v.mu.Unlock()
	select {
	case <-time.After(time.Second):
	case <-ctx.Done():
		return "", &Error{Unavailable, ref, "no answer in time"}
	}
	if err != nil {
		return "", err
	}
	return value, nil
}

func (v *vault) set(value string, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.value, v.err = value, err
}

func (v *vault) want(t *testing.T, reads int) {
	t.Helper()
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.reads != reads {
		t.Errorf("%d readings, want %d", v.reads, reads)
	}
}

func ref(t *testing.T, text string) Ref {
	t.Helper()
	r, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func want(t *testing.T, c *Cache, r Ref, value string) {
	t.Helper()
	if got, err := c.Get(t.Context(), r); got != value || err != nil {
		t.Errorf("%q, %v; want %q", got, err, value)
	}
}

func wantCode(t *testing.T, c *Cache, r Ref, code Code) {
	t.Helper()
	if got, err := c.Get(t.Context(), r); got != "" || CodeOf(err) != code {
		t.Errorf("%q, %v; want %s", got, err, code)
	}
}

// logged is what is logged while the test runs.
func logged(t *testing.T) *bytes.Buffer {
	t.Helper()
	var b bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&b, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	return &b
}

func TestAValueIsReadOnceAndAgainWhenItIsOld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &vault{value: first + "\n"}
		c := New(v)
		v.want(t, 0)
		want(t, c, ref(t, managed), first)
		v.set(second, nil)
		time.Sleep(Fresh - time.Second)
		want(t, c, ref(t, managed), first)
		v.want(t, 1)
		time.Sleep(time.Second)
		want(t, c, ref(t, managed), second)
		v.want(t, 2)
	})
}

func TestConcurrentLookupsAreOneReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &vault{value: `{"a":"` + first + `","b":"` + second + `"}`}
		c := New(v)
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() { want(t, c, ref(t, managed+"#a"), first) })
			all.Go(func() { want(t, c, ref(t, managed+"#b"), second) })
		}
		all.Wait()
		v.want(t, 1)
	})
}

func TestWhoGivesUpTakesTheReadingFromNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &vault{value: first}
		c := New(v)
		impatient, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := c.Get(impatient, ref(t, stored)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v, want the caller's own end", err)
		}
		want(t, c, ref(t, stored), first)
		v.want(t, 1)
	})
}

func TestTheLastValueIsUsedForATimeWhileItCannotBeReadAgain(t *testing.T) {
	log := logged(t)
	synctest.Test(t, func(t *testing.T) {
		v := &vault{value: first}
		c := New(v)
		r := ref(t, managed)
		want(t, c, r, first)
		v.set("", &Error{Denied, r, "AccessDeniedException"})
		time.Sleep(Fresh)
		want(t, c, r, first)
		want(t, c, r, first)
		v.want(t, 2) // the second is within the pause
		if text := log.String(); strings.Count(text, "level=WARN") != 1 || !strings.Contains(text, managed) || !strings.Contains(text, "secretsmanager:GetSecretValue") {
			t.Errorf("logged is %s", text)
		}
		time.Sleep(Pause)
		want(t, c, r, first)
		v.want(t, 3)
		time.Sleep(Oldest)
		wantCode(t, c, r, Denied)
		if !strings.Contains(log.String(), "level=ERROR") {
			t.Error("that there is no value any more is not logged as an error")
		}
		v.set(second, nil)
		time.Sleep(Pause)
		want(t, c, r, second)
	})
	if strings.Contains(log.String(), first) || strings.Contains(log.String(), second) {
		t.Errorf("a value is in the log: %s", log)
	}
}

func TestAFailureIsNotAskedForAgainAtOnce(t *testing.T) {
	logged(t)
	synctest.Test(t, func(t *testing.T) {
		r := ref(t, stored)
		v := &vault{err: &Error{NotFound, r, "ParameterNotFound"}}
		c := New(v)
		wantCode(t, c, r, NotFound)
		v.set(first, nil)
		time.Sleep(Pause - time.Millisecond)
		wantCode(t, c, r, NotFound)
		v.want(t, 1)
		time.Sleep(time.Millisecond)
		want(t, c, r, first)
	})
}

func TestAReadingEnds(t *testing.T) {
	logged(t)
	synctest.Test(t, func(t *testing.T) {
		c, begun := New(stuck{}), time.Now()
		wantCode(t, c, ref(t, stored), Unavailable)
		if took := time.Since(begun); took != patience {
			t.Errorf("it took %s", took)
		}
	})
}

type stuck struct{}

func (stuck) Read(ctx context.Context, ref Ref) (string, error) {
	<-ctx.Done()
	return "", &Error{Unavailable, ref, ctx.Err().Error()}
}

func TestAValueThatWasRejectedIsReadAgainOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &vault{value: `{"k":"` + first + `"}`}
		c := New(v)
		r := ref(t, managed+"#k")
		c.Rejected(r, first) // of which nothing is known
		want(t, c, r, first)
		c.Rejected(r, first)
		want(t, c, r, first)
		v.want(t, 1) // it was read just now
		time.Sleep(Pause)
		v.set(`{"k":"`+second+`"}`, nil)
		c.Rejected(r, "another")
		want(t, c, r, first)
		v.want(t, 1)
		c.Rejected(r, first)
		want(t, c, r, second)
		c.Rejected(r, first) // by one that was asked before
		time.Sleep(Pause)
		want(t, c, r, second)
		v.want(t, 2)
	})
}

func TestAKeyIsATextOfAnObject(t *testing.T) {
	for whole, ok := range map[string]bool{
		`{"k":"` + first + `","n":1}`: true, `{"k":1}`: false, `{"k":null}`: false, `{"k":""}`: false, `{"other":"` + first + `"}`: false, `"` + first + `"`: false, first: false,
		`{"k":"` + first: false,
	} {
		got, err := pick(whole, Ref{ARN: managed, Service: Manager, Key: "k"})
		if ok != (err == nil && got == first) || !ok && CodeOf(err) != Malformed || err != nil && strings.Contains(err.Error(), first) {
			t.Errorf("%s: %q, %v", whole, got, err)
		}
	}
	if _, err := pick("\n", Ref{ARN: managed}); CodeOf(err) != Malformed {
		t.Errorf("an empty secret: %v", err)
	}
}
