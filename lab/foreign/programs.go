package main

// program is one whose tests are run.
type program struct {
	name   string
	module string // and version
	args   []string
}

// programs are well known, and their tests take no more than some minutes.
var programs = []program{
	{"xsync", "golang.org/x/sync@v0.24.0", []string{"./..."}},
	{"pgzip", "github.com/klauspost/pgzip@v1.3.0", []string{"./..."}},
	{"goldmark", "github.com/yuin/goldmark@v1.8.7", []string{"./..."}},
	{"workerpool", "github.com/gammazero/workerpool@v1.3.0", []string{"./..."}},
	{"conc", "github.com/sourcegraph/conc@v0.3.0", []string{"./..."}},
	{"bbolt", "go.etcd.io/bbolt@v1.5.0", []string{"-short", "."}},
	{"bleve", "github.com/blevesearch/bleve/v2@v2.6.3", []string{"./index/scorch/...", "./search/..."}},
	{"ristretto", "github.com/dgraph-io/ristretto/v2@v2.4.2", []string{"./..."}},
	{"zerolog", "github.com/rs/zerolog@v1.35.1", []string{"./..."}},
	{"staticcheck", "honnef.co/go/tools@v0.8.2", []string{"./analysis/...", "./go/ir/...", "./config/...", "./printf/..."}},
	{"grpc", "google.golang.org/grpc@v1.85.0", []string{"./internal/transport/...", "./balancer/...", "./internal/grpcsync/..."}},
	{"prometheus", "github.com/prometheus/prometheus@v0.316.0", []string{"./tsdb/chunkenc/...", "./tsdb/index/...", "./tsdb/wlog/...", "./tsdb/chunks/..."}},
	{"nats", "github.com/nats-io/nats-server/v2@v2.15.2", []string{"-run=TestSublist|TestParse|TestConn|TestServer|TestSubject", "./server/..."}},
	{"pebble", "github.com/cockroachdb/pebble@v1.1.5", []string{"./record/...", "./sstable/...", "./internal/..."}},
}
