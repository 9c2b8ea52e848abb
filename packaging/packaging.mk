# Packages. GNUmakefile includes this file.
#
#   make deb           build the Debian packages in $B/deb, with dpkg-buildpackage; packaging/deb
#
# packaging/deb compiles the programs in a copy of the tree, with the flags of Debian. Tests are not part of it.

DEBIAN_DEB       := debhelper dpkg-dev fakeroot dh-python
deb: DEBIAN += $(DEBIAN_DEB)
deb: deps
	$Qpackaging/deb $B/deb $(VERSION)

.PHONY: deb
