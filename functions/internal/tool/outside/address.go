package outside

import (
	"net/netip"

	"windlass/functions/internal/tool"
)

func prefixes(all ...string) (list []netip.Prefix) {
	for _, p := range all {
		list = append(list, netip.MustParsePrefix(p))
	}
	return list
}

// never are addresses that nobody's tool has to reach: the services beside a
// machine that hand out its credentials, and what is no single machine.
var never = prefixes(
	"0.0.0.0/8", "169.254.0.0/16", "168.63.129.16/32", "100.100.100.200/32", "192.0.0.192/32", "224.0.0.0/4", "240.0.0.0/4",
	"::/128", "fe80::/10", "fd00:ec2::/32", "ff00::/8",
)

// private are addresses of the network that the system itself runs in.
var private = prefixes(
	"10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16",
	"::1/128", "fc00::/7",
)

// special are IPv4 addresses that the registries keep from the public internet.
var special = prefixes(
	"192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
)

// global is all of IPv6 that is public. What lies outside of it, such as mapped,
// translated and NAT64 forms of IPv4, is refused by lying outside of it.
var global = netip.MustParsePrefix("2000::/3")

// tunnels lie in the public part of IPv6, and lead to IPv4 or to nowhere: Teredo and
// its neighbours, documentation, 6to4.
var tunnels = prefixes("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")

func in(a netip.Addr, list []netip.Prefix) bool {
	for _, p := range list {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// check says why an address must not be dialled. An IPv4 address in IPv6's clothes
// is not looked into, but refused.
func (n Network) check(a netip.Addr) error {
	switch {
	case !a.IsValid() || a.Is4In6() || a.Zone() != "" || in(a, never):
		return denied
	case n.Loopback && a.IsLoopback() || n.Internal && in(a, private) || public(a):
		return nil
	}
	return denied
}

func public(a netip.Addr) bool {
	if a.Is4() {
		return !in(a, private) && !in(a, special)
	}
	return global.Contains(a) && !in(a, tunnels)
}

// denied does not say which address it was: the names of a private network are
// nothing for a model.
var denied error = tool.Failure{Code: DeniedAddress, Message: "the host is no public one; tools reach public addresses only"}
