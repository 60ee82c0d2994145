import { sh } from "../shell/script";

/**
 * Last part of a script that has started containerd: waits for its socket, or prints the end of its log. `how`: a
 * constant of ours.
 */
export function containerdAnswers(how = ""): string {
    return sh`
        for i in $(seq 100); do
            if ctr version >/dev/null 2>&1; then exit 0; fi
            sleep 0.2
        done
        echo "${`containerd does not answer ${how}`.trimEnd()}" >&2
        journalctl -u containerd.service -n 20 --no-pager >&2 || true
        exit 1
    `;
}
