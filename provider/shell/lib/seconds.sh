#!/bin/sh
# seconds.sh: seconds prints how long the machine runs. A clock that is set meanwhile, as after a boot, does not change it.

seconds() { cut -d . -f 1 /proc/uptime; }
