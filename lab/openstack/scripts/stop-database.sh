#!/bin/bash
# stop-database.sh: a clean end of MariaDB, so that its files are whole.
mariadb-admin --no-defaults -uroot -S /cloud/run/mysqld.sock shutdown
while kill -0 "$(cat /cloud/run/mariadb.pid)" 2>/dev/null; do sleep 0.1; done
rm -f /cloud/run/mariadb.pid
