module tracerec/lab

go 1.26.0

require (
	github.com/stretchr/testify v1.12.1
	golang.org/x/sync v0.17.0
	tracerec v0.0.0
)

require go.yaml.in/yaml/v3 v3.0.5 // indirect

replace tracerec => ../
