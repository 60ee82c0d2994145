#!/bin/sh
# say-state.sh: say_state says what each rotation needs to know of a control-plane node, as lines name=value. Wants api-ready.sh and etcd-over-http.sh.
# yes_if COMMAND prints "yes" if it succeeds.
# inputs: PATIENCE (seconds)
# constants: MEMBER_FILE

yes_if() { if "$@"; then echo yes; fi; }
# a busy machine may answer late once, and a run that was killed may have left a component that restarts
yes_if_soon() {
    waited=0
    until "$@"; do
        if [ $waited -ge "$PATIENCE" ]; then return 0; fi
        waited=$((waited + 4))
        sleep 4
    done
    echo yes
}
say_state() {
    echo "member=$(cat "$MEMBER_FILE" 2>/dev/null || true)"
    echo "ready=$(yes_if_soon api_ready)"
    echo "etcd=$(yes_if_soon etcd_is_healthy)"
    echo "members=$(etcd_members | members_in | cut -d ' ' -f 2 | sort | tr '\n' ' ')"
}
