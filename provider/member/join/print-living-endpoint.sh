#!/bin/sh
# print-living-endpoint.sh: prints "lives" if an API server of the cluster answers at the endpoint: its certificate is of our authority. Asks with
# no login, and takes any answer.
# inputs: URL
# inputs: CA (its certificate)

if printf '%s\n' "$CA" | curl -s -o /dev/null --noproxy '*' --max-time 10 --cacert /dev/stdin "$URL/readyz"; then echo lives; fi
