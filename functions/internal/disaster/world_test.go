package disaster

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/eventstore/memory"
	"windlass/functions/internal/agent"
	"windlass/functions/internal/execution"
	"windlass/functions/internal/fold"
	"windlass/functions/internal/loop"
	"windlass/functions/internal/model"
	"windlass/functions/internal/session"
	"windlass/functions/internal/turn"
)

var talk = eventstore.Stream{Tenant: "acme", Session: "talk"}

// world is everything that survives a process, and what runs without being asked.
type world struct {
	t      testing.TB
	ctx    context.Context
	end    context.CancelFunc
	tasks  sync.WaitGroup
	plan   *plan
	limits loop.Limits

	store    *store
	clean    *eventstore.Journal // nothing happens to it
	blobs    *memory.Blobs
	machine  *machine
	kept     *kept
	warm     fold.Sessions // of drivers that ended well
	shop     *shop
	follower *follower
	streams  []*stream

	mu   sync.Mutex
	dice *rand.Rand
	// hurry shortens what Step Functions waits between retries.
	hurry   float64
	born    int
	alive   map[*process]bool
	held    map[*held]bool
	records []eventstore.Record
}

// newWorld makes one inside a bubble of fake time. Whoever made it calls close.
func newWorld(t testing.TB, seed uint64, limits loop.Limits, strikes ...strike) *world {
	w := &world{
		t: t, plan: &plan{strikes: strikes, seen: map[what]int{}}, limits: limits, dice: rand.New(rand.NewPCG(seed, 0)),
		hurry: 1, blobs: memory.NewBlobs(), kept: &kept{tokens: map[execution.Turn]execution.Parking{}}, shop: newShop(),
		alive: map[*process]bool{}, held: map[*held]bool{},
	}
	w.ctx, w.end = context.WithCancel(context.Background())
	w.store = &store{Driver: memory.New(), stored: w.commits}
	w.clean = eventstore.New(w.store.Driver, eventstore.WithBlobs(w.blobs))
	w.machine = &machine{w: w, executions: map[string]*running{}, parked: map[string]chan struct{}{}}
	w.follower = &follower{w: w}
	w.streams = []*stream{
		{w: w, handle: dispatch, retries: 10, wants: func(r eventstore.Record) bool { return r.Wake }},
		{w: w, handle: publish, retries: 2, wants: func(eventstore.Record) bool { return true }},
	}
	for _, s := range w.streams {
		s.tried, s.more = map[int]int{}, make(chan struct{}, 1)
		w.tasks.Go(s.run)
	}
	w.tasks.Go(w.sweep)
	w.tasks.Go(w.person)
	return w
}

// close ends all that still runs.
func (w *world) close() {
	w.end()
	w.tasks.Wait()
}

func (w *world) sleep(d time.Duration) bool { return pause(w.ctx, d) }

func (w *world) chance() float64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.dice.Float64() * w.hurry
}

// commits brings one into the streams.
func (w *world) commits(r eventstore.Record) {
	w.mu.Lock()
	n := len(w.records)
	w.records = append(w.records, r)
	w.mu.Unlock()
	for _, s := range w.streams {
		if s.wants(r) {
			s.add(n)
		}
	}
}

// stored is the n-th commit.
func (w *world) stored(n int) eventstore.Record {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.records[n]
}

// sessions are those that have a log, in the order in which they came.
func (w *world) sessions() (all []eventstore.Stream) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.records {
		if !slices.Contains(all, r.Stream) {
			all = append(all, r.Stream)
		}
	}
	return all
}

// events are a log's, after a seq.
func (w *world) events(of eventstore.Stream, after uint64) (all []event.Event, err error) {
	for c, err := range w.clean.Read(context.Background(), of, after) {
		if err != nil {
			return all, err
		}
		for _, e := range c.Events {
			if e.Seq > after {
				all = append(all, e)
			}
		}
	}
	return all, nil
}

// unsettled is how many operations are, in all sessions.
func (w *world) unsettled() (n int) {
	for _, s := range w.sessions() {
		n += w.summary(s).Unsettled
	}
	return n
}

func (w *world) summary(s eventstore.Stream) turn.Summary {
	head, _, err := w.clean.Head(context.Background(), s)
	if err != nil {
		w.t.Fatal(err)
	}
	sum, err := turn.DecodeSummary(head.Summary)
	if err != nil {
		w.t.Fatal(err)
	}
	return sum
}

var catalog = sync.OnceValues(func() (*agent.Catalog, error) {
	named := func(name, tools string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("name: " + name + "\nmodel: {provider: script, name: " + name + "}\ntools: [look, put, charge, wire, " + tools + "]")}
	}
	return agent.Read(fstest.MapFS{
		"clerk.yaml": named("clerk", "workspace_write, workspace_read"),
		"chief.yaml": named("chief", "{name: delegate, with: {agents: [clerk]}}"),
	}, "clerk", nil)
})

// service is what the api function serves.
func (p *process) service() *session.Service { return p.serviceOf(anAppend, p.starter()) }

func (p *process) serviceOf(appends what, turns starter) *session.Service {
	all, err := catalog()
	if err != nil {
		panic(err) // the lines above
	}
	j := p.journalOf(appends)
	return &session.Service{
		Journal: j, Opened: &fold.Sessions{}, Agents: all, Turns: turns,
		Now: time.Now, NewID: func(time.Time) string { return "talk-1" },
	}
}

func (p *process) loop() *loop.Loop {
	var warm *fold.Sessions // every other driver is a sandbox that ran before
	if p.n%2 == 1 {
		warm = &p.w.warm
	}
	return &loop.Loop{
		Journal: p.journal(), Warm: warm, Models: map[string]model.Provider{"script": script{p}}, Tools: tools(),
		Now: time.Now, Jitter: func(d time.Duration) time.Duration { return d }, Limits: p.w.limits, Park: p.starter().Park,
		Families: p.families(elsewhere{}, elsewhere{}.Wake),
	}
}
