package expression

// Mentions reports whether a condition refers to the attribute or a part of it.
func Mentions(c Condition, name string) bool {
	about := func(operands ...operand) bool {
		for _, o := range operands {
			if o.path != nil && o.path[0].Name == name {
				return true
			}
		}
		return false
	}
	switch c := c.(type) {
	case and:
		return Mentions(c.left, name) || Mentions(c.right, name)
	case or:
		return Mentions(c.left, name) || Mentions(c.right, name)
	case not:
		return Mentions(c.inner, name)
	case comparison:
		return about(c.left, c.right)
	case between:
		return about(c.value, c.low, c.high)
	case in:
		return about(c.value) || about(c.among...)
	case exists:
		return c.path[0].Name == name
	case attributeType:
		return c.path[0].Name == name
	case beginsWith:
		return about(c.value, c.prefix)
	case contains:
		return about(c.value, c.part)
	}
	return false
}
