# Makefile: start with `make run` and `make test`. Each installs the packages that it needs.

PREFIX ?= /usr/local
DESTDIR ?=

# The program is linked with the Swift runtime, so that the machine needs none. Modules are Embedded Swift and need
# no runtime. The linker merges equal functions, which saves 2 % of the size. No code may compare addresses of functions.
# Only the functions that replace those of libc are exported, which saves 5 % of the size.
# Concrete types are found by calls instead of names, because for names the runtime searches all protocol conformances:
# saves 20 % of the instructions of a start and adds 250 kB.
# Relative relocations take 30 kB instead of 1.4 MB if the C library can read the packed form (glibc 2.36).
packed := $(shell getconf GNU_LIBC_VERSION | awk '{ exit !($$2 >= 2.36) }' && echo -Xlinker -z -Xlinker pack-relative-relocs)
build_flags := -c release --static-swift-stdlib -Xswiftc -use-ld=lld -Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors -Xlinker --gc-sections -Xlinker --icf=all -Xlinker --no-export-dynamic -Xlinker -O2 $(packed)
build_program := swift build $(build_flags)
build_modules := OUTBOARD_MODULES_ALONE=yes swift build -c release --quiet
program := .build/release/outboard
modules := $(basename $(notdir $(wildcard manifests/modules/*.yaml)))
module_sources := $(shell find Plugins Sources/SDK/ModuleKit Sources/SDK/ModuleABI \
  Sources/SDK/LV2Shim Sources/C/CModule -type f) Package.swift
built_modules := .build/release/.modules
rigs := $(notdir $(wildcard manifests/rigs/*.yaml))
# For source modules: headers, the kit, and templates for `outboard new`.
headers := $(shell cd Sources/SDK/ModuleABI/include && find . -type f -printf '%P ')
public_headers := outboard_module.h $(filter outboard/%,$(headers))
kit := $(patsubst Sources/SDK/ModuleKit/%,%,$(wildcard Sources/SDK/ModuleKit/*.swift Sources/SDK/ModuleKit/*/*.swift))
templates := $(notdir $(wildcard Sources/SDK/Templates/*))
schemas := $(notdir $(wildcard schemas/*.json))
# What `outboard help` prints.
guides := $(shell cd docs && find . -name '*.md' -printf '%P ')

root := $(DESTDIR)$(PREFIX)
module_folder := $(root)/lib/outboard/modules
share := $(root)/share
units := $(root)/lib/systemd

.PHONY: run build link test check shake test-web test-terminal test-osc test-link unit-test lint check-docs test-install test-vm soak sanitize benchmark check-isolation corpus edits reloads recordings
.PHONY: kit-docs pictures deb test-deb budgets
.PHONY: install install-link uninstall clean help build-flags

## make run: put a reverb on the microphone (or on a recording, where there is no sound card)
run: build
	@scripts/run $(program)

## make build: build the program and its modules
build:
	@scripts/setup run
	@$(build_program) --product outboard
	@$(MAKE) --silent --no-print-directory $(built_modules)

# scripts/check-budgets links its programs in the same way.
build-flags:
	@echo $(build_flags)

## make link: build outboard-link, which takes part in Ableton Link, a separate program under the GPL (Tools/Link)
link: .build/outboard-link

.build/outboard-link: Tools/Link/outboard-link.cpp
	@scripts/setup link
	@mkdir -p .build
	$(CXX) -std=c++17 -O2 -Wall -Wextra -DLINK_PLATFORM_LINUX=1 $(CXXFLAGS) -o $@ $< -pthread $(LDFLAGS)

# The file .modules saves starting the package manager if no source has changed.
$(built_modules): $(module_sources)
	@$(build_modules)
	@touch $@

## make test: all tests; lists at the end those that failed and those that could not run
test:
	@scripts/test

## make check: before every commit, within four minutes: build, style, layers, tests that start nothing
check:
	@scripts/test lint words quick layers boot

## make shake: the unit and command-line tests under random delays and load (RUNS=5 SEED=...)
shake:
	@scripts/setup test
	swift build --build-tests
	@scripts/shake $(if $(SEED),--seed $(SEED)) $(or $(RUNS),5)

## make unit-test: all unit tests
unit-test:
	@scripts/setup test
	swift build --build-tests
	swift test --skip-build --parallel

## make lint: formatting and style
lint:
	swift format lint --strict --recursive Package.swift Sources Plugins Tests Benchmarks

## make check-docs: the documentation: links, words, and the commands that its pages show
check-docs: build
	@scripts/test words docs

## make test-osc: OSC with foreign programs
test-osc: build
	@scripts/setup test
	@scripts/test-osc

## make test-link: Ableton Link between sessions and other programs, in an empty network
test-link: build
	@scripts/setup test
	@scripts/test-link

## make test-web: the web page of a session in a browser
test-web: build
	@scripts/setup test
	@scripts/test-web

## make test-terminal: the display of a session in an emulated terminal
test-terminal: build
	@scripts/setup test
	@scripts/test-terminal

## make sanitize: every rig under the real-time sanitizer, debug and release, and under a counter; several threads under the thread sanitizer
sanitize:
	@scripts/setup test
	scripts/check-realtime

## make test-vm: ALSA on a real kernel, in a virtual machine
test-vm: build
	@scripts/setup test
	scripts/test-vm

## make check-isolation: every installed LV2 plugin isolated and in process, and 100 failures of workers in each way
check-isolation: build
	@swift build -c release --product isolation-check >/dev/null
	@scripts/check-isolation --faults 100

## make corpus: every LV2 plugin of Debian's packages, compared with Tests/Corpus (installs 29 packages)
corpus: build
	@scripts/corpus

## make pictures: docs/pictures, drawn from the program, the included rigs and the layers (needs graphviz)
pictures: build
	@scripts/make-pictures

## make kit-docs: the Swift kit's documentation, in .build/kit-docs
kit-docs:
	@scripts/kit-docs

## make reloads: ten thousand hot reloads, checked for leaks (RELOADS=10000)
reloads: build
	@RELOADS="$(or $(RELOADS),10000)" scripts/check-reloads

## make edits: ten thousand random edits of a running graph, under each sanitizer (EDITS=10000)
edits:
	@scripts/setup test
	@scripts/check-edits $(or $(EDITS),10000)

## make soak: an hour of stream with faults, in the virtual machine, and of 20 clients (SECONDS=3600 SEED=1)
soak: build
	@scripts/setup test
	@SECONDS="$(SECONDS)" SEED="$(SEED)" scripts/soak

## make recordings: kills 200 recordings, records an hour of 16 channels, records to a slow disk (KILLS=200 SECONDS=900)
recordings: build
	@scripts/setup test
	swift build --build-tests
	@SECONDS="$(SECONDS)" KILLS="$(or $(KILLS),200)" scripts/check-recordings

## make test-install: install into a directory, use the program from there, uninstall
test-install: build
	scripts/test-install

## make deb: a Debian package, in build/
deb: build
	@scripts/make-deb

## make test-deb: the package on a fresh Debian 12: installed, used, upgraded, purged
test-deb: build
	scripts/test-deb

## make benchmark: compare with other hosts that are installed
benchmark: build
	Benchmarks/run

## make budgets: instruction counts, compared with Benchmarks/budgets.tsv (scripts/check-budgets --update rewrites it)
budgets: build
	@scripts/check-budgets

## make install PREFIX=/usr/local: the program, modules, rigs, schemas, guides, manual pages, units and completions
install:
	@test -x $(program) || { echo "make install: run make build first, as the user who builds." >&2; exit 2; }
	install -D -m 755 -s $(program) $(root)/bin/outboard
	@for module in $(modules); do \
	  install -D -m 644 .build/release/lib$$module.so $(module_folder)/$$module.so && \
	  install -D -m 644 manifests/modules/$$module.yaml $(module_folder)/$$module.yaml || exit 1; \
	done
	install -D -m 644 .build/release/liblv2-shim.so $(root)/lib/outboard/lv2-shim.so
	@for rig in $(rigs); do \
	  install -D -m 644 manifests/rigs/$$rig $(share)/outboard/rigs/$$rig || exit 1; \
	done
	install -D -m 644 manifests/recordings/guitar.flac $(share)/outboard/recordings/guitar.flac
	OUTBOARD=$(program) scripts/make-reference --man $(share)/man
	@install -d $(units)/system $(units)/user
	sed "s|@PREFIX@|$(PREFIX)|" packaging/outboard@.service >$(units)/system/outboard@.service
	sed "s|@PREFIX@|$(PREFIX)|" packaging/user/outboard@.service >$(units)/user/outboard@.service
	@chmod 644 $(units)/system/outboard@.service $(units)/user/outboard@.service
	@for header in $(public_headers); do \
	  install -D -m 644 Sources/SDK/ModuleABI/include/$$header $(root)/include/$$header || exit 1; \
	done
	@for header in $(headers); do \
	  install -D -m 644 Sources/SDK/ModuleABI/include/$$header $(share)/outboard/include/$$header || exit 1; \
	done
	@for file in $(kit); do \
	  install -D -m 644 Sources/SDK/ModuleKit/$$file $(share)/outboard/ModuleKit/$$file || exit 1; \
	done
	@for file in $(templates); do \
	  install -D -m 644 Sources/SDK/Templates/$$file $(share)/outboard/templates/$$file || exit 1; \
	done
	@for file in $(schemas); do \
	  install -D -m 644 schemas/$$file $(share)/outboard/schemas/$$file || exit 1; \
	done
	@for file in $(guides); do \
	  install -D -m 644 docs/$$file $(share)/outboard/docs/$$file || exit 1; \
	done
	@install -d $(share)/bash-completion/completions $(share)/zsh/site-functions \
	  $(share)/fish/vendor_completions.d
	# Shells read the file and do not start it, so its first line needs no interpreter.
	$(program) --generate-completion-script bash | sed '1{/^#!/d}' >$(share)/bash-completion/completions/outboard
	$(program) --generate-completion-script zsh >$(share)/zsh/site-functions/_outboard
	$(program) --generate-completion-script fish >$(share)/fish/vendor_completions.d/outboard.fish

## make install-link PREFIX=/usr/local: outboard-link, after make link
install-link:
	@test -x .build/outboard-link || { echo "make install-link: run make link first, as the user who builds." >&2; exit 2; }
	install -D -m 755 -s .build/outboard-link $(root)/lib/outboard/outboard-link
	install -D -m 644 Tools/Link/COPYING $(root)/lib/outboard/outboard-link.COPYING

## make uninstall PREFIX=/usr/local: remove the installed files
uninstall:
	rm -f $(root)/bin/outboard $(addprefix $(root)/include/,$(public_headers))
	rm -f $(share)/man/man1/outboard.1 $(share)/man/man1/outboard-*.1
	rm -f $(share)/man/man5/outboard-rig.5 $(share)/man/man5/outboard-module.5
	rm -f $(units)/system/outboard@.service $(units)/user/outboard@.service
	rm -f $(share)/bash-completion/completions/outboard $(share)/zsh/site-functions/_outboard
	rm -f $(share)/fish/vendor_completions.d/outboard.fish
	rm -f $(root)/lib/outboard/lv2-shim.so
	rm -f $(root)/lib/outboard/outboard-link $(root)/lib/outboard/outboard-link.COPYING
	rm -f $(foreach module,$(modules),$(module_folder)/$(module).so $(module_folder)/$(module).yaml)
	rm -f $(addprefix $(share)/outboard/rigs/,$(rigs)) $(share)/outboard/recordings/guitar.flac
	rm -f $(addprefix $(share)/outboard/include/,$(headers))
	rm -f $(addprefix $(share)/outboard/ModuleKit/,$(kit))
	rm -f $(addprefix $(share)/outboard/templates/,$(templates))
	rm -f $(addprefix $(share)/outboard/schemas/,$(schemas))
	rm -f $(addprefix $(share)/outboard/docs/,$(guides))
	@for folder in $(module_folder) $(root)/lib/outboard $(share)/outboard/rigs \
	  $(share)/outboard/recordings \
	  $(share)/outboard/include/outboard $(share)/outboard/include \
	  $(share)/outboard/ModuleKit/Exports $(share)/outboard/ModuleKit \
	  $(share)/outboard/templates $(share)/outboard/schemas $(share)/outboard/docs/guides/porting $(share)/outboard/docs/guides \
	  $(share)/outboard/docs/reference $(share)/outboard/docs/internals $(share)/outboard/docs $(share)/outboard \
	  $(root)/include/outboard \
	  $(units)/system $(units)/user $(units); do \
	  rmdir $$folder 2>/dev/null || true; \
	done

clean:
	rm -rf .build .build-rtsan build

help:
	@sed -n 's/^## //p' Makefile
