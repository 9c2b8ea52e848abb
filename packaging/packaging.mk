# Packages. GNUmakefile includes this file.
#
#   make deb           build the Debian packages in $B/deb, with dpkg-buildpackage; packaging/deb
#   make rpm           build the RPM packages in $B/rpm, with rpmbuild; packaging/rpm
#
# Both compile the programs in a copy of the tree. Tests are not part of it.

DEBIAN_DEB       := debhelper dpkg-dev fakeroot dh-python
deb: DEBIAN += $(DEBIAN_DEB)
deb: deps
	$Qpackaging/deb $B/deb $(VERSION)
rpm: DEBIAN += rpm
rpm: deps
	$Qpackaging/rpm $B/rpm $(VERSION)

.PHONY: deb rpm
