package proof

import "slices"

// edges are the normal ones, row by row: what happens sooner or later.
type edges struct {
	off    []int32
	to     []int32
	marked []bool // takes over, or begins a call too late
	count  int    // of all kinds
}

func (e *edges) row() { e.off = append(e.off, int32(len(e.to))) }

func (e *edges) put(k kind, n int32, marked bool) {
	e.count++
	if k == normal {
		e.to, e.marked = append(e.to, n), append(e.marked, marked)
	}
}

// lives: from every world the settled one is reached without another fault, and no
// driver takes over, or begins a call, again and again.
func (x *explorer) lives(r *report) {
	x.edges.row()
	reached := x.edges.back(len(x.nodes), func(n int32) bool { return x.nodes[n].settled })
	for n := range x.nodes {
		if !reached[n] { // the first one has a shortest trace
			r.broken, r.trace = "nothing that has to happen settles this", x.trace(int32(n))
			return
		}
	}
	if n, to := x.edges.cycle(len(x.nodes)); n >= 0 {
		r.broken, r.trace = "this can go on for ever", x.lap(n, to)
	}
}

// path lists nodes from one to another, both included.
func (e *edges) path(from, to int32) (path []int32) {
	before := map[int32]int32{from: -1}
	for todo := []int32{from}; len(todo) > 0; todo = todo[1:] {
		for _, m := range e.to[e.off[todo[0]]:e.off[todo[0]+1]] {
			if _, seen := before[m]; !seen {
				before[m] = todo[0]
				todo = append(todo, m)
			}
		}
	}
	for n := to; n >= 0; n = before[n] {
		path = append(path, n)
	}
	slices.Reverse(path)
	return path
}

// back marks what can reach a goal.
func (e *edges) back(nodes int, goal func(int32) bool) []bool {
	first := make([]int32, nodes+1)
	for _, t := range e.to {
		first[t+1]++
	}
	for i := range nodes {
		first[i+1] += first[i]
	}
	from, fill := make([]int32, len(e.to)), append([]int32(nil), first[:nodes]...)
	for n := range nodes {
		for _, t := range e.to[e.off[n]:e.off[n+1]] {
			from[fill[t]] = int32(n)
			fill[t]++
		}
	}
	reached := make([]bool, nodes)
	var todo []int32
	visit := func(n int32) {
		if !reached[n] {
			reached[n] = true
			todo = append(todo, n)
		}
	}
	for n := range int32(nodes) {
		if goal(n) {
			visit(n)
		}
	}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, m := range from[first[n]:first[n+1]] {
			visit(m)
		}
	}
	return reached
}

// cycle finds a marked edge that can be taken again and again; -1 if there is none.
// (Components as Tarjan finds them, without recursion.)
func (e *edges) cycle(nodes int) (from, to int32) {
	component := e.components(nodes)
	for n := range int32(nodes) {
		for i := e.off[n]; i < e.off[n+1]; i++ {
			if e.marked[i] && component[n] == component[e.to[i]] {
				return n, e.to[i]
			}
		}
	}
	return -1, -1
}

func (e *edges) components(nodes int) []int32 {
	index, low, component := make([]int32, nodes), make([]int32, nodes), make([]int32, nodes)
	next := append([]int32(nil), e.off[:nodes]...)
	var stack, path []int32
	count, found := int32(0), int32(0)
	enter := func(n int32) {
		count++
		index[n], low[n] = count, count
		stack, path = append(stack, n), append(path, n)
	}
	leave := func(n int32) {
		if low[n] == index[n] {
			found++
			for m := int32(-1); m != n; {
				m = stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				component[m] = found
			}
		}
		if path = path[:len(path)-1]; len(path) > 0 {
			p := path[len(path)-1]
			low[p] = min(low[p], low[n])
		}
	}
	for root := range int32(nodes) {
		if index[root] == 0 {
			enter(root)
		}
		for len(path) > 0 {
			n := path[len(path)-1]
			if next[n] == e.off[n+1] {
				leave(n)
				continue
			}
			m := e.to[next[n]]
			next[n]++
			switch {
			case index[m] == 0:
				enter(m)
			case component[m] == 0:
				low[n] = min(low[n], index[m])
			}
		}
	}
	return component
}
