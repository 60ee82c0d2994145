import { sh } from "../shell/script";

/**
 * Shell: `other_process` NAME PID waits, 90 s at most, until the oldest process of this name is another one. kubelet sees a changed
 * manifest in its own time, and a server that is asked to end goes on answering for a while: who only asks whether it is ready hears
 * the former one, and the next master would follow too early.
 */
export const otherProcess = sh`
    other_process() {
        waited=0
        while [ "$(pgrep -o -x "$1" || true)" = "$2" ] && [ $waited -lt 90 ]; do waited=$((waited + 1)); sleep 1; done
    }
`;
