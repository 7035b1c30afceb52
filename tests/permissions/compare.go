package permissions

import "slices"

// Missing are the calls that were made and that nothing allows.
func Missing(allowed, made []Call) (all []Call) {
	for _, m := range made {
		if !slices.ContainsFunc(allowed, func(a Call) bool { return a.Allows(m) }) {
			all = append(all, m)
		}
	}
	return all
}

// Unused is leave that no call made use of, and that nothing excuses.
func Unused(allowed, made []Call, excuses []Excuse) (all []Call) {
	for _, a := range allowed {
		used := slices.ContainsFunc(made, a.Allows)
		excused := slices.ContainsFunc(excuses, func(e Excuse) bool { return e.covers(a) })
		if !used && !excused {
			all = append(all, a)
		}
	}
	return all
}

// An Excuse says why leave is there that no run on one machine makes use of. An
// empty part is any.
type Excuse struct {
	Functions []string
	Actions   []string
	Resource  string
	Key       string
	Why       string
}

func (e Excuse) covers(a Call) bool {
	return (e.Functions == nil || slices.Contains(e.Functions, a.Function)) && slices.Contains(e.Actions, a.Action) &&
		(e.Resource == "" || e.Resource == a.Resource) && (e.Key == "" || e.Key == a.Key)
}
