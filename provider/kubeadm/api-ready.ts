import { adminConfig } from "../shell/kubectl";
import { sh } from "../shell/script";
import { apiCurl } from "./api-curl";

/**
 * Shell: `api_ready` tests whether the API server of this machine is ready; wants ADDRESS. It is called often, so it
 * uses curl. Without curl, or if curl's result is unclear, it uses kubectl.
 */
export const apiReady =
    apiCurl +
    sh`
    api_ready() {
        code=0
        api_curl -f -o /dev/null -m 5 "https://$ADDRESS:6443/readyz" || code=$?
        case $code in
            0) return 0 ;;
            # no connection; an answer that is not yes; no answer in time
            7 | 22 | 28) return 1 ;;
        esac
        kubectl --kubeconfig ${adminConfig} --server "https://$ADDRESS:6443" --request-timeout=5s get --raw /readyz >/dev/null 2>&1
    }
`;

/** Shell: waits until this machine's API server is ready, or exits with an error; wants ADDRESS. */
export const waitForOwnApiServer =
    apiReady +
    sh`
    end=$(($(date +%s) + 240))
    until api_ready; do
        if [ "$(date +%s)" -ge "$end" ]; then
            echo "the API server of this machine is not ready:" >&2
            kubectl --kubeconfig ${adminConfig} --server "https://$ADDRESS:6443" --request-timeout=3s get --raw '/readyz?verbose' >&2 || true
            exit 1
        fi
        sleep 0.5
    done
`;
