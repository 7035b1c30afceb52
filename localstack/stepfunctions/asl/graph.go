package asl

import "sort"

// checkGraph refuses transitions to nowhere, states that nothing leads to, and
// machines that can never end.
func checkGraph(m *Machine, p *problems) {
	if m.States[m.StartAt] == nil {
		p.add(missingTransitionTarget, "/StartAt", "there is no state %.80q", m.StartAt)
		return
	}
	names := make([]string, 0, len(m.States))
	for name := range m.States {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		for _, t := range m.States[name].targets() {
			if m.States[t.state] == nil {
				p.add(missingTransitionTarget, "/States/"+name+"/"+t.field, "there is no state %.80q", t.state)
			}
		}
	}
	if len(*p) > 0 {
		return
	}
	reached, ends := reach(m)
	for _, name := range names {
		if !reached[name] {
			p.add(missingTransitionTarget, "/States/"+name, "state %.80q is not reachable", name)
		}
	}
	if !ends {
		p.add(schemaFailed, "/States", "no state that can be reached ends the execution")
	}
}

func reach(m *Machine) (reached map[string]bool, ends bool) {
	reached = map[string]bool{m.StartAt: true}
	for queue := []string{m.StartAt}; len(queue) > 0; queue = queue[1:] {
		s := m.States[queue[0]]
		ends = ends || s.terminal()
		for _, t := range s.targets() {
			if !reached[t.state] {
				reached[t.state] = true
				queue = append(queue, t.state)
			}
		}
	}
	return reached, ends
}
