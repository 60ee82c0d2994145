#!/bin/sh
# kubelet-is-healthy.sh: wait_for_kubelet waits until kubelet says that it is healthy, or exits with an error. wait_until_kubelet_knows_pods also gives it the time
# to learn its pods from the API: before that it tries to make mirrors of its static pods, and starts none again while the API does not answer.

. member/lib/say-why.sh

wait_for_kubelet() {
    end=$(($(date +%s) + 120))
    until curl -sf --noproxy '*' -m 3 -o /dev/null http://127.0.0.1:10248/healthz; do
        if [ "$(date +%s)" -ge "$end" ]; then
            echo "kubelet is not healthy" >&2
            say_why
            exit 1
        fi
        sleep 1
    done
}
wait_until_kubelet_knows_pods() {
    wait_for_kubelet
    sleep 10
}
