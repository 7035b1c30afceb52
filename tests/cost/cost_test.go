package main

import (
	"fmt"
	"math/big"
	"os"
	"strings"
	"testing"
	"time"

	table "windlass/infra/prices/aws"
	"windlass/tests/embedded"
)

var usual = assumptions{Trip: 5 * time.Millisecond, Model: 5 * time.Second, PlatformBytes: 600}

func started(t *testing.T) *stack {
	t.Helper()
	s, err := opened(embedded.Context(t), embedded.Start(t, counting...))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func counted1(t *testing.T, s *stack, l load) counts {
	t.Helper()
	m, err := s.turn(embedded.Context(t), l)
	if err != nil {
		t.Fatal(err)
	}
	return m.counts
}

func invoked(name string) func(use) bool {
	return func(u use) bool { return u.Service == "lambda" && u.Resource == "windlass-"+name }
}

// Counts of requests are exact: each stream record is delivered by itself, and nobody
// waits over the API. Units of writes are within bounds: a commit holds times and ids, of
// which some are a byte longer than others, and a unit is 1 KB.
func TestAnOrdinaryTurnAsksForThisMuchAndNoMore(t *testing.T) {
	s := started(t)
	for _, rounds := range []int64{1, 2, 10} {
		t.Run(fmt.Sprintf("%d rounds", rounds), func(t *testing.T) {
			c := counted1(t, s, load{rounds: int(rounds) - 1, calls: 2, bytes: 256, answer: 64})
			commits := 2*rounds + 1 // accepted; the first start; two a round, of which the last settles
			for _, row := range []struct {
				what      string
				got, want int64
			}{
				{"commits of a round", c.requests(by("drive", of("dynamodb", "PutItem"))), 2*rounds - 1},
				{"the commit that settles", c.requests(by("drive", of("dynamodb", "TransactWriteItems"))), 1},
				{"the commit that accepts", c.requests(by("api", of("dynamodb", "TransactWriteItems"))), 1},
				{"writes of anybody else", c.requests(func(u use) bool {
					return u.Service == "dynamodb" && u.Caller != "drive" && (u.Operation == "PutItem" || u.Operation == "UpdateItem" || u.Operation == "DeleteItem")
				}), 0},
				{"drive's reads: the head, which is what was accepted, once a turn", c.requests(by("drive", of("dynamodb", "Query", "GetItem", "BatchGetItem"))), 1},
				{"units of these", int64(c.units("read", by("drive", of("dynamodb")))), 1},
				{"transitions", int64(c.units("transition", of("states"))), 4},
				{"invocations of drive", c.requests(invoked("drive")), 1},
				{"invocations of dispatch: what wakes", c.requests(invoked("dispatch")), 1},
				{"its reads: the head", c.requests(by("dispatch", of("dynamodb"))), 1},
				{"invocations of publish: a commit each", c.requests(invoked("publish")), commits},
				{"reads of publish: who follows", int64(c.units("read", by("publish", of("dynamodb")))), commits},
				{"S3", c.requests(of("s3")), 0},
				{"posts to sockets", c.requests(of("execute-api")), 0},
				{"requests to the HTTP API", c.requests(of("apigateway", "http")), 2},
			} {
				if row.got != row.want {
					t.Errorf("%s: %d, want %d", row.what, row.got, row.want)
				}
			}
			settling := c.units("write", by("drive", of("dynamodb", "TransactWriteItems")))
			ordinary := c.units("write", by("drive", of("dynamodb", "PutItem")))
			if settling < 6 || settling > 12 || ordinary < float64(2*rounds-1) || ordinary > float64(6*rounds) {
				t.Errorf("write units: %v to settle, %v for %d rounds", settling, ordinary, rounds)
			}
		})
	}
}

func TestATurnOf128RoundsCostsLessThanAFifthOfACent(t *testing.T) {
	s := started(t)
	p, err := readPrices(table.File)
	if err != nil {
		t.Fatal(err)
	}
	l := load{rounds: 127, calls: 2, bytes: 256, answer: 64}
	m, err := s.turn(embedded.Context(t), l)
	if err != nil {
		t.Fatal(err)
	}
	b := biller{prices: p, assumptions: usual, functions: s.functions}.ofTurn(m)
	if least, most := big.NewRat(4, 10_000), big.NewRat(2, 1000); b.total().Cmp(least) < 0 || b.total().Cmp(most) >= 0 {
		t.Errorf("%s, want from %s to %s", dollars(b.total()), dollars(least), dollars(most))
	}
}

func TestAFollowerIsSentEachCommitOnce(t *testing.T) {
	s := started(t)
	c, err := s.followed(embedded.Context(t), load{rounds: 4, calls: 2, bytes: 256, answer: 64})
	if err != nil {
		t.Fatal(err)
	}
	// The acceptance and two commits a round; caught_up when it subscribed, and what
	// there was before.
	posts := c.requests(by("publish", of("execute-api", "POST")))
	if want := int64(2*5 + 1); posts != want {
		t.Errorf("publish posted %d messages, want %d", posts, want)
	}
	if n := c.units("message", of("apigateway", "socket")); n != 1 {
		t.Errorf("the client sent %v messages, want its subscribe alone", n)
	}
}

func TestAnAnswerThatTakesItsTimeCostsPreviews(t *testing.T) {
	s := started(t)
	slow, err := s.streamed(embedded.Context(t), 2000, 700*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if n := slow.extra.units("write", of("dynamodb")); n < 1 || n > 20 {
		t.Errorf("%v write units of previews", n)
	}
}

func TestAMinuteOfNothingIsRecoversAlone(t *testing.T) {
	stack := embedded.Start(t, "WINDLASS_LOCAL_USAGE=1", "WINDLASS_LOCAL_MINUTE=50ms")
	i, err := sits(embedded.Context(t), stack.Client())
	if err != nil {
		t.Fatal(err)
	}
	if n := i.counts.requests(invoked("recover")); n != i.minutes {
		t.Errorf("%d of %d invocations are recover's", n, i.minutes)
	}
	if w := i.counts.units("write", of("dynamodb")); w != 0 {
		t.Errorf("%v write units in an idle minute", w)
	}
	reads := i.counts.requests(by("recover", of("dynamodb")))
	if reads%i.minutes != 0 || reads == 0 || reads/i.minutes > 64 {
		t.Errorf("%d reads in %d minutes", reads, i.minutes)
	}
}

func TestOnlyPublishHasNoTracesOfItsOwn(t *testing.T) {
	b, err := os.ReadFile("../../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	_, publish, _ := strings.Cut(text, "\n  PublishFunction:")
	publish, _, _ = strings.Cut(publish, "\n  PublishFailures:")
	if strings.Count(text, "Tracing: Active") != 1 || strings.Count(text, "Tracing: PassThrough") != 1 || !strings.Contains(publish, "Tracing: PassThrough") {
		t.Error("template.yaml traces other functions than the bill says")
	}
}
