#!/bin/sh
# answers-at.sh: answers_at URL waits until the API answers there. Wants $config, a kubeconfig.
# Its certificate must have that name.
# shellcheck disable=SC2154 # the caller sets $config

answers_at() {
    tries=0
    until said=$(kubectl --kubeconfig "$config" --server "$1" --request-timeout=5s get --raw /readyz 2>&1); do
        tries=$((tries + 1))
        if [ $tries -ge 20 ]; then
            printf 'the API does not answer at %s: %s\n' "$1" "$said" >&2
            return 1
        fi
        sleep 2
    done
}
