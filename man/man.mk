# Manual pages. GNUmakefile includes this file. Each man/PAGE.scd becomes a page.

pages   := $(patsubst man/%.scd,$B/man/%,$(wildcard man/*.scd))
# Further names of pages, NAME:PAGE. Each becomes a page of one line that includes PAGE.
aliases := fairlead-del.1:fairlead-alter.1 fairlead-hold.1:fairlead-alter.1 fairlead-mod.1:fairlead-alter.1 fairlead-release.1:fairlead-alter.1 \
           fairlead-compare.1:fairlead-explain.1 fairlead-hand-back.1:fairlead-attach.1
aliased  = $(lastword $(subst :, ,$(filter $(@F):%,$(aliases))))
pages   += $(foreach alias,$(aliases),$B/man/alias/$(firstword $(subst :, ,$(alias))))

all: $(pages)
$B/man/%: man/%.scd | packages
	$(call step,MAN   $@)$Qscdoc < $< > $@
$B/man/alias/%: man/man.mk | packages
	$Qecho '.so man$(patsubst .%,%,$(suffix $(aliased)))/$(aliased)' >$@
