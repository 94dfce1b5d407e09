package pgstore

import "orchestrator/internal/ledger/store"

// maxCache is how many bytes of keys and values each half of the cache holds.
const maxCache = 32 << 20

// entryCost is what an entry of the cache takes besides its key and value.
const entryCost = 128

// cache is what the writer knows of the database as it was at one commit. A nil value means that there is none. What
// was not used for long is forgotten: the older half goes when the younger is full.
type cache struct {
	nonce      []byte // the name of that commit; nil: nothing is known
	young, old map[store.Place][]byte
	size       int               // of young
	fences     map[string]uint64 // by the name of the lease; 0: it was never given
}

// reset forgets all; the database is at the commit of a name.
func (c *cache) reset(nonce []byte) {
	c.nonce, c.young, c.old, c.size = nonce, map[store.Place][]byte{}, nil, 0
	c.fences = map[string]uint64{}
}

func (c *cache) get(at store.Place) (value []byte, known bool) {
	if value, known = c.young[at]; known {
		return value, true
	}
	if value, known = c.old[at]; known {
		c.put(at, value)
	}
	return value, known
}

func (c *cache) put(at store.Place, value []byte) {
	if c.young == nil {
		c.young = map[store.Place][]byte{}
	}
	if _, again := c.young[at]; !again {
		c.size += len(at.Table) + len(at.Key) + entryCost
	}
	c.size += len(value)
	c.young[at] = value
}

// trim forgets the older half once the younger is full. It is called between batches.
func (c *cache) trim() {
	if c.size > maxCache {
		c.young, c.old, c.size = map[store.Place][]byte{}, c.young, 0
	}
}
