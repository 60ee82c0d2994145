#!/bin/sh
# mounting-workloads.sh: prints which workloads mount the Secret with the cloud's credentials, on a control-plane node.

. shell/lib/as-administrator.sh
. cloud-provider/mounting.sh

mounting
