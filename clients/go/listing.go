package sluicegate

import "iter"

// ListOption changes how a listing is read.
type ListOption interface{ addToList(*listing) }

type listing struct{ pageSize uint32 }

// PageSize sets how many entries one call asks for: 1..=1000; 100 by default. A listing goes on to the end whatever it is.
type PageSize uint32

func (p PageSize) addToList(l *listing) { l.pageSize = uint32(p) }

// pages reads a listing page by page, each when the loop has come to it. The loop ends with an error, if there is one.
func pages[From, To any](
	opts []ListOption,
	read func(pageSize uint32, pageToken string) ([]From, string, error),
	convert func(From) (To, error),
) iter.Seq2[To, error] {
	var l listing
	for _, option := range opts {
		option.addToList(&l)
	}
	return func(yield func(To, error) bool) {
		var none To
		for token, more := "", true; more; more = token != "" {
			entries, next, err := read(l.pageSize, token)
			if err != nil {
				yield(none, fromRPC(err))
				return
			}
			for _, entry := range entries {
				converted, err := convert(entry)
				if !yield(converted, err) || err != nil {
					return
				}
			}
			token = next
		}
	}
}
