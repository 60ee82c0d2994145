#!/bin/sh
# install-packages.sh: installs packages that are missing, and nothing else.

. shell/lib/packages.sh

install_packages
