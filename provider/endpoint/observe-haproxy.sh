#!/bin/sh
# observe-haproxy.sh: looks whether HAProxy runs.

. shell/lib/observed.sh

runs haproxy.service
