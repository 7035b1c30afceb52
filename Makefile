# Go and make are all that help, build, run, test and clean need.

FUNCTIONS := api drive dispatch recover socket publish
# The same flags wherever a function is built: reproducible, and without the
# parts of aws-lambda-go that only the retired go1.x runtime used.
FUNCTION_FLAGS := -trimpath -buildvcs=false -tags lambda.norpc -ldflags='-s -w'
# The processor of what is deployed: as at the last deploy, or template.yaml's default.
ARCHITECTURE ?= $(or $(shell sed -n 's/.*Architecture=[^a-z]*\(arm64\|x86_64\).*/\1/p' samconfig.toml 2>/dev/null),arm64)
GOARCH_arm64 := arm64
GOARCH_x86_64 := amd64
STACK ?= windlass
EMULATOR ?= ministack
SAM ?= $(or $(abspath $(wildcard .build/venv/bin/sam)),sam)
# The suites whose calls are recorded: between them they go every way that there is.
RECORDED := ./tests/e2e ./tests/crash ./tests/sockets
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2

.DEFAULT_GOAL := help

.PHONY: help
help: ## Say what there is to make.
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: $(FUNCTIONS:%=.build/%/bootstrap) .build/windlass ## Build the embedded stack, and the functions for this machine.

.PHONY: package
package: $(FUNCTIONS:%=.build/aws/%/bootstrap) ## Build the functions for AWS (ARCHITECTURE=arm64 or x86_64), and weigh them.
	@go run ./infra/zips .build/aws

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

.PHONY: load
load: ## Measure the scenarios with goals, and draw the curves into .build.
	go run ./tests/load -json .build/load.json -plots .build

.PHONY: cost
cost: ## Count what turns ask of AWS, and price it.
	@go run ./tests/cost

.PHONY: lint
lint: ## Check formatting, vet and staticcheck (fetched by its version).
	@files=$$(gofmt -l .); test -z "$$files" || { echo "gofmt would change:"; echo "$$files"; exit 1; }
	go vet ./...
	go run $(STATICCHECK) ./...

.PHONY: verify
verify: lint build ## Everything that must hold before a change goes in.
	go mod tidy -diff
	go test -race ./...

.PHONY: permissions
permissions: ## Record what functions call, and compare it with their roles.
	@rm -f .build/calls.jsonl; mkdir -p .build
	WINDLASS_LOCAL_CALLS=$(CURDIR)/.build/calls.jsonl go test -count=1 -timeout 20m $(RECORDED)
	WINDLASS_LOCAL_CALLS=$(CURDIR)/.build/calls.jsonl go test -count=1 ./tests/permissions ./tests/tools -run 'Cancelled|Delegated|Report|Retained'
	WINDLASS_TEST_CALLS=$(CURDIR)/.build/calls.jsonl go test -count=1 ./tests/permissions
	@LC_ALL=C sort -u .build/calls.jsonl >tests/permissions/testdata/calls.jsonl

.PHONY: sam-test
sam-test: ## Invoke every function in its container, by sam local (needs sam and Docker).
	WINDLASS_TEST_LANES=sam WINDLASS_TEST_SAM=$(SAM) go test -count=1 -v ./tests/sam

.PHONY: emulator-test
emulator-test: ## Deploy to an emulator and test it there (EMULATOR=ministack or localstack).
	SAM=$(SAM) tests/emulator/run $(EMULATOR)

.PHONY: reproducible
reproducible: ## Build the functions for AWS twice, in two places; the same bytes must come out.
	@infra/reproducible $(ARCHITECTURE)

.PHONY: deploy
deploy: package ## Build for AWS and deploy; the first time sam asks what it needs to know.
	$(SAM) deploy $(if $(wildcard samconfig.toml),,--guided --stack-name $(STACK) --capabilities CAPABILITY_IAM --parameter-overrides Architecture=$(ARCHITECTURE))

OUTPUTS = $(SAM) list stack-outputs --stack-name $(STACK) --output json

.PHONY: key
key: ## Make an API key for TENANT=…, and print it once.
	@test -n "$(TENANT)" || { echo "say whose: make key TENANT=acme" >&2; exit 2; }
	@$(OUTPUTS) | go run ./infra/keys create "$(TENANT)"

.PHONY: retention
retention: ## Keep the sessions of TENANT=… for RETENTION=90d, 12h, forever or default (the stack's).
	@test -n "$(TENANT)" && test -n "$(RETENTION)" || { echo "say whose and how long: make retention TENANT=acme RETENTION=90d" >&2; exit 2; }
	@$(OUTPUTS) | go run ./infra/keys retain "$(TENANT)" "$(RETENTION)"

.PHONY: revoke
revoke: ## Refuse the key with ID=…, which make key printed beside it.
	@$(OUTPUTS) | go run ./infra/keys revoke "$(ID)"

.PHONY: remote-test
remote-test: ## Run the end-to-end suite against what is deployed.
	@$(OUTPUTS) | go run ./infra/keys lend go test -count=1 ./tests/e2e

.PHONY: teardown
teardown: ## Remove what is deployed, but what holds data; says what it keeps.
	@echo "The tables, the bucket and its policy stay, with all they hold, and API Gateway's role for logs."
	@echo "They are:"; $(OUTPUTS) | sed -n 's/.*"OutputValue": "\(.*\)",\{0,1\}/  \1/p' | grep -i -e table -e bucket || true
	@echo "To be rid of a table: aws dynamodb update-table --no-deletion-protection-enabled, then delete-table; of the bucket: aws s3 rb --force."
	$(SAM) delete --stack-name $(STACK)

.PHONY: clean
clean: ## Remove what was built; the data in .windlass stays.
	rm -rf .build

# Go knows what has changed: always ask it.
.build/aws/%/bootstrap: always
	CGO_ENABLED=0 GOOS=linux GOARCH=$(GOARCH_$(ARCHITECTURE)) go build $(FUNCTION_FLAGS) -o $@ ./functions/$*

.build/%/bootstrap: always
	CGO_ENABLED=0 go build $(FUNCTION_FLAGS) -o $@ ./functions/$*

.build/windlass: always
	@go build -trimpath -o $@ ./localstack

.PHONY: always
always:
