package expression

import (
	"slices"

	"windlass/localstack/dynamodb/attribute"
)

// Apply returns the item as the update leaves it. Every right side sees the item
// as it was; an error leaves nothing changed.
func (u *Update) Apply(item attribute.Item) (attribute.Item, error) {
	out := item
	values := make([]attribute.Value, len(u.sets))
	for i, s := range u.sets {
		v, err := s.value.value(item)
		if err != nil {
			return nil, err
		}
		values[i] = v
	}
	for _, i := range u.setOrder() {
		var err error
		if out, err = replace(out, u.sets[i].path, values[i]); err != nil {
			return nil, err
		}
	}
	for _, d := range u.adds {
		var err error
		if out, err = add(out, d); err != nil {
			return nil, err
		}
	}
	for _, d := range u.deletes {
		var err error
		if out, err = subtract(out, d); err != nil {
			return nil, err
		}
	}
	for _, path := range u.removeOrder() {
		var err error
		if out, err = remove(out, path); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// setOrder puts low list indexes first: those beyond the end append in order.
func (u *Update) setOrder() []int {
	order := make([]int, len(u.sets))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return lastIndex(u.sets[a].path) - lastIndex(u.sets[b].path) })
	return order
}

// removeOrder puts high list indexes first, so that the others still hold.
func (u *Update) removeOrder() []Path {
	order := slices.Clone(u.removes)
	slices.SortStableFunc(order, func(a, b Path) int {
		for i := range min(len(a), len(b)) {
			if a[i].Index != b[i].Index {
				return b[i].Index - a[i].Index
			}
		}
		return 0
	})
	return order
}

func lastIndex(p Path) int { return p[len(p)-1].Index }

// replace puts v at the path, whose parent must exist.
func replace(item attribute.Item, path Path, v attribute.Value) (attribute.Item, error) {
	return change(item, path, func(attribute.Value, bool) (attribute.Value, bool, error) { return v, true, nil })
}

func remove(item attribute.Item, path Path) (attribute.Item, error) {
	return change(item, path, func(attribute.Value, bool) (attribute.Value, bool, error) {
		return attribute.Value{}, false, nil
	})
}

func add(item attribute.Item, d delta) (attribute.Item, error) {
	return change(item, d.path, func(old attribute.Value, ok bool) (attribute.Value, bool, error) {
		switch {
		case !ok:
			return d.value, true, nil
		case old.Kind != d.value.Kind:
			return old, true, errOperandType
		case old.Kind == attribute.Number:
			sum, err := addNumbers(old.Decimal(), d.value.Decimal())
			return sum, true, err
		}
		return attribute.NewSet(old.Kind, slices.Concat(old.List, d.value.List)), true, nil
	})
}

// subtract removes elements from a set; an empty set does not exist.
func subtract(item attribute.Item, d delta) (attribute.Item, error) {
	return change(item, d.path, func(old attribute.Value, ok bool) (attribute.Value, bool, error) {
		if !ok {
			return old, false, nil
		}
		if old.Kind != d.value.Kind {
			return old, true, errOperandType
		}
		kept := slices.DeleteFunc(slices.Clone(old.List), d.value.Contains)
		return attribute.Value{Kind: old.Kind, List: kept}, len(kept) > 0, nil
	})
}

// edit maps the value at a path, or its absence, to the new one.
type edit func(old attribute.Value, ok bool) (v attribute.Value, keep bool, err error)

// change copies the item along the path and edits its end.
func change(item attribute.Item, path Path, e edit) (attribute.Item, error) {
	name := path[0].Name
	old, ok := item.Get(name)
	v, keep, err := inside(old, ok, path[1:], e)
	switch {
	case err != nil:
		return nil, err
	case keep:
		return item.With(name, v), nil
	}
	return item.Without(name), nil
}

func inside(old attribute.Value, ok bool, rest Path, e edit) (attribute.Value, bool, error) {
	if len(rest) == 0 {
		return e(old, ok)
	}
	switch step := rest[0]; {
	case ok && step.Index < 0 && old.Kind == attribute.Map:
		items, err := change(old.Items, rest, e)
		return attribute.Value{Kind: attribute.Map, Items: items}, true, err
	case ok && step.Index >= 0 && old.Kind == attribute.List:
		list, err := changeList(old.List, rest, e)
		return attribute.Value{Kind: attribute.List, List: list}, true, err
	}
	return old, false, errUpdatePath
}

func changeList(list []attribute.Value, path Path, e edit) ([]attribute.Value, error) {
	i := path[0].Index
	var old attribute.Value
	ok := i < len(list)
	if ok {
		old = list[i]
	}
	v, keep, err := inside(old, ok, path[1:], e)
	switch {
	case err != nil:
		return nil, err
	case keep && ok:
		list = slices.Clone(list)
		list[i] = v
	case keep:
		list = append(slices.Clip(list), v)
	case ok:
		list = slices.Delete(slices.Clone(list), i, i+1)
	}
	return list, nil
}
