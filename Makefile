# Thin over the npm scripts. Needs Node >= 20 and npm; the project brings its own Node 26.
LANES ?=

.PHONY: run test verify bench bench-propagation gen build images clean kind-up kind-down

# Packages of the bundled Node name it as theirs; npm would warn of each where it runs on another one.
node_modules/.package-lock.json: package-lock.json
	npm ci --no-fund --loglevel=error

run: node_modules/.package-lock.json
	@npm run -s start:examples

test: node_modules/.package-lock.json
	@npm run -s test:lanes -- $(LANES)

verify: node_modules/.package-lock.json
	@npm run -s verify

bench: node_modules/.package-lock.json
	@npm run -s bench

bench-propagation: node_modules/.package-lock.json
	@npm run -s bench:propagation

gen: node_modules/.package-lock.json
	@npm run -s gen

build: node_modules/.package-lock.json
	@npm run -s build

images: node_modules/.package-lock.json
	@npm run -s images

kind-up: node_modules/.package-lock.json
	@scripts/kind-up

kind-down:
	kind delete cluster --name gatehouse

clean:
	rm -rf dist gateway/dist operator/dist standalone/dist .gatehouse
