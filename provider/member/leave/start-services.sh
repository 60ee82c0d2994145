#!/bin/sh
# start-services.sh: starts the container runtime and kubelet of a node that leaves, because only they end its pods in order. Prints "kubelet runs" where they do.
# inputs: SECONDS_TO_WAIT

. shell/lib/usual-path.sh

runtime_answers() { timeout 4 ctr version >/dev/null 2>&1; }
serves() { runtime_answers && curl -sf --noproxy '*' -m 3 -o /dev/null http://127.0.0.1:10248/healthz; }
# a service that failed too often is not started again
systemctl reset-failed containerd.service kubelet.service 2>/dev/null || true
runtime_answers || timeout "$SECONDS_TO_WAIT" systemctl restart containerd.service || true
timeout "$SECONDS_TO_WAIT" systemctl start kubelet.service || true
end=$(($(date +%s) + SECONDS_TO_WAIT))
until serves; do
    if [ "$(date +%s)" -ge "$end" ]; then
        echo "the container runtime or kubelet does not start: nothing waits for what runs here"
        exit 0
    fi
    sleep 1
done
echo "kubelet runs"
