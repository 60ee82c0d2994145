#!/bin/sh
# observe-node-certificates.sh: prints a line for each certificate of this machine that is to be renewed.

. shell/lib/usual-path.sh

. member/lib/due-certificates.sh

require_openssl
due_certificates
