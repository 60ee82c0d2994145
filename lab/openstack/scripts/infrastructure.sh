#!/bin/bash
# infrastructure.sh: the bridge of the public network, and the folders of database and message queue.
set -eu
ip link set lo up
if ! ip link show br-ex >/dev/null 2>&1; then
    ip link add br-ex type bridge forward_delay 0
    ip addr add "$1/24" dev br-ex
    ip link set br-ex up
fi
chmod 1777 /cloud/run
mkdir -p /cloud/run/lock /cloud/state/servers /cloud/state/volumes /cloud/state/glance/images /cloud/state/keystone
for service in keystone glance placement nova neutron cinder heat; do
    mkdir -p "/cloud/state/$service" "/cloud/run/lock/$service"
done
install -d -o rabbitmq -g rabbitmq /cloud/run/rabbitmq /cloud/run/rabbitmq/log
if [ ! -d /cloud/state/mysql/mysql ]; then
    install -d -o mysql -g mysql /cloud/state/mysql
    mariadb-install-db --no-defaults --user=mysql --datadir=/cloud/state/mysql --skip-test-db \
        --auth-root-authentication-method=socket >/cloud/log/mariadb-install.log 2>&1
fi
