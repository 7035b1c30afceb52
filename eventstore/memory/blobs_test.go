package memory_test

import (
	"testing"

	"windlass/eventstore"
	"windlass/eventstore/memory"
	"windlass/eventstore/storetest"
)

func TestBlobsKeepTheContract(t *testing.T) {
	storetest.RunBlobs(t, func(*testing.T) eventstore.Blobs { return memory.NewBlobs() })
}
