# Installation. GNUmakefile includes this file. The packages of debian/ and packaging/fairlead.spec install by this rule as well, and
# debian/*.install divides the files among them.
#
# Directories, below DESTDIR; defaults are below prefix:
#   libdir          libraries and pkg-config                  $(prefix)/lib
#   pythondir       fairlead.py                               where Python of this machine searches, if prefix is /usr/local
#   unitdir         units of systemd                          $(prefix)/lib/systemd/system
#   zshdir          completion for zsh                        $(prefix)/share/zsh/site-functions
#   confdir         options of the units                      $(prefix)/share/doc/fairlead/examples, as examples;
#                   the units read those of /etc/fairlead

libdir      ?= $(prefix)/lib
unitdir     ?= $(prefix)/lib/systemd/system
pythondir   ?= $(prefix)/lib/$(or $(shell python3 -c 'import sys; print("python%d.%d" % sys.version_info[:2])' 2>/dev/null),python3)/dist-packages
zshdir      ?= $(prefix)/share/zsh/site-functions
confdir     ?= $(prefix)/share/doc/fairlead/examples
units       := $(wildcard sched/*/*.service.in)
to           = $(DESTDIR)$(prefix)
substituted  = sed 's|@prefix@|$(prefix)|; s|@libdir@|$(libdir)|; s|@version@|$(VERSION)|' $(1) | install -D -m 644 /dev/stdin $(DESTDIR)$(2)

$B/completion.%: $B/fairlead
	$(call step,MAKE  $@)$Q$< completion $* >$@

install: all $(addprefix $B/completion.,bash zsh fish)
	install -d $(addprefix $(to)/,bin sbin libexec/fairlead/gridengine include/fairlead) $(DESTDIR)$(libdir)/fairlead
	install $B/fairlead $B/fairlead-schedd $B/fairlead-hostd $B/fairlead-metrics $B/fairlead-relay $(to)/bin
	cd $(to) && [ bin -ef sbin ] || for daemon in fairlead-schedd fairlead-hostd fairlead-metrics fairlead-relay; do ln -sf ../bin/$$daemon sbin/$$daemon; done
	install $B/fairlead-shepherd $B/fairlead-compat $(to)/libexec/fairlead
	for client in $(clients); do ln -sf ../fairlead-compat $(to)/libexec/fairlead/gridengine/$$client; done
	install -m 644 sched/reader/fairlead.h $(to)/include
	install -m 644 sched/drmaa/drmaa.h $(to)/include/fairlead
	install -m 644 $B/libdrmaa.so $(DESTDIR)$(libdir)/fairlead/libdrmaa.so.1.0
	ln -sf libdrmaa.so.1.0 $(DESTDIR)$(libdir)/fairlead/libdrmaa.so
	install -m 644 $B/libfairlead.so $(DESTDIR)$(libdir)/libfairlead.so.$(VERSION)
	cd $(DESTDIR)$(libdir) && ln -sf libfairlead.so.$(VERSION) libfairlead.so.0 && ln -sf libfairlead.so.0 libfairlead.so
	$(call substituted,sched/reader/libfairlead.pc.in,$(libdir)/pkgconfig/libfairlead.pc)
	install -D -m 644 sched/reader/fairlead.py $(DESTDIR)$(pythondir)/fairlead.py
	for unit in $(units:.in=); do $(call substituted,$$unit.in,$(unitdir)/$${unit##*/}) || exit; done
	install -D -m 644 packaging/sysusers.conf $(to)/lib/sysusers.d/fairlead.conf
	install -D -m 644 packaging/tmpfiles.conf $(to)/lib/tmpfiles.d/fairlead.conf
	install -d $(DESTDIR)$(confdir) && install -m 644 packaging/etc/*.conf $(DESTDIR)$(confdir)
	install -D -m 644 $B/completion.bash $(to)/share/bash-completion/completions/fairlead
	install -D -m 644 $B/completion.zsh $(DESTDIR)$(zshdir)/_fairlead
	install -D -m 644 $B/completion.fish $(to)/share/fish/vendor_completions.d/fairlead.fish
	install -D -m 644 sched/metrics/fairlead.json $(to)/share/fairlead/grafana/fairlead.json
	install -D -m 644 sched/metrics/fairlead-rules.yml $(to)/share/fairlead/prometheus/fairlead-rules.yml
	for page in $(pages); do install -D -m 644 $$page $(to)/share/man/man$${page##*.}/$${page##*/} || exit; done
	for file in $$(cd conf && find default local multifactor userprio -type f ! -path '*/spool/*'); do \
	    install -D -m 644 conf/$$file $(to)/share/fairlead/$$file || exit; done
	$Q[ -n '$(DESTDIR)' ] || { PATH=$$PATH:/usr/sbin:/sbin; [ $$(id -u) != 0 ] || ldconfig; library=$(libdir)/libfairlead.so.0; \
	[ "$$(ldconfig -p | sed -n '/libfairlead\.so\.0 /{s/.* => //p;q}')" -ef $$library ] || \
	echo "To start programs linked with -lfairlead, set LD_LIBRARY_PATH=$(libdir), or link them with -Wl,-rpath,$(libdir)."; }

.PHONY: install
