module tracerec/lab

go 1.26.0

require (
	github.com/stretchr/testify v1.12.1
	golang.org/x/sync v0.24.0
	golang.org/x/sys v0.49.0
	tracerec v0.0.0
)

require (
	github.com/google/pprof v0.0.0-20261016150608-1facf8f91b50 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	github.com/vmihailenco/msgpack/v5 v5.4.1 // indirect
	github.com/vmihailenco/tagparser/v2 v2.0.0 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/exp v0.0.0-20261014143641-f0251eb4aa3e // indirect
	golang.org/x/term v0.47.0 // indirect
)

replace tracerec => ../
