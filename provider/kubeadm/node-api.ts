import { adminConfig } from "../shell/kubectl";
import { sh } from "../shell/script";
import { apiCurl } from "./api-curl";

/**
 * Shell, on a control-plane node: `node_api` requests the node NAME from the API, with further arguments for curl. It
 * prints the answer and, on a line of its own, the HTTP code, which `code_of` extracts. A join waits for it, so it must
 * be fast. If the answer is unclear, use kubectl.
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
