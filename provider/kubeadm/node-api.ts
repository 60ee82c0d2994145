import { adminConfig } from "../shell/kubectl";
import { sh } from "../shell/script";
import { apiCurl } from "./api-curl";

/**
 * Shell, on a master: `node_api` asks the cluster for the node NAME, with further arguments of curl; it prints the answer and, on a line
 * of its own, the HTTP code, which `code_of` takes from it. A join waits for it. Where it cannot say, kubectl must be asked.
 */
export const nodeApi =
    apiCurl +
    sh`
    node_api() {
        api_curl -m 10 -w '\\n%{http_code}' "$@" \\
            "$(sed -n 's/^ *server: *//p' ${adminConfig})/api/v1/nodes/$NAME" || true
    }
    code_of() { printf '%s' "\${1##*[!0-9]}"; }
`;
