# Go and make are all that help, build, run, test and clean need.

FUNCTIONS := api drive dispatch recover socket publish
# The same flags wherever a function is built: reproducible, and without the
# parts of aws-lambda-go that only the retired go1.x runtime used.
FUNCTION_FLAGS := -trimpath -buildvcs=false -tags lambda.norpc -ldflags='-s -w'
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2

.DEFAULT_GOAL := help

.PHONY: help
help: ## Say what there is to make.
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: $(FUNCTIONS:%=.build/%/bootstrap) .build/windlass ## Build the functions for AWS, and the embedded stack.

.PHONY: run
run: .build/windlass ## Run the whole system on this machine.
	@exec .build/windlass

.PHONY: test
test: ## Pass all tests that need only Go.
	go test ./...

.PHONY: proof
proof: ## Print what was tried to break a turn, and what came of it.
	go test ./functions/internal/disaster -count=1 -v -run Table

.PHONY: bench
bench: ## Measure what the README's table says.
	go test ./tests/load -run '^$$' -bench . -benchtime 1x

.PHONY: lint
lint: ## Check formatting, vet and staticcheck (fetched by its version).
	@files=$$(gofmt -l .); test -z "$$files" || { echo "gofmt would change:"; echo "$$files"; exit 1; }
	go vet ./...
	go run $(STATICCHECK) ./...

.PHONY: verify
verify: lint build ## Everything that must hold before a change goes in.
	go mod tidy -diff
	go test -race ./...

.PHONY: clean
clean: ## Remove what was built; the data in .windlass stays.
	rm -rf .build

# Go knows what has changed: always ask it.
.build/%/bootstrap: always
	CGO_ENABLED=0 GOOS=linux GOARCH=amd64 go build $(FUNCTION_FLAGS) -o $@ ./functions/$*

.build/windlass: always
	@go build -trimpath -o $@ ./localstack

.PHONY: always
always:
