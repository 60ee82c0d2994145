#!/bin/sh
# say-state.sh: say_state says what each rotation needs to know of a control-plane node, as lines name=value. Wants api-ready.sh and etcd-over-http.sh.
# yes_if COMMAND prints "yes" if it succeeds.
# constants: MEMBER_FILE

yes_if() { if "$@"; then echo yes; fi; }
# a busy machine may answer late once
yes_if_soon() {
    for _ in 1 2 3 4 5 6; do
        if "$@"; then echo yes; return 0; fi
        sleep 4
    done
}
say_state() {
    echo "member=$(cat "$MEMBER_FILE" 2>/dev/null || true)"
    echo "ready=$(yes_if_soon api_ready)"
    echo "etcd=$(yes_if_soon etcd_is_healthy)"
    echo "members=$(etcd_members | members_in | cut -d ' ' -f 2 | sort | tr '\n' ' ')"
}
