import { sh } from "../node/script";
import { adminConfig, pkiFolder } from "./paths";

/**
 * Shell, on a master: `node_api` asks the cluster for the node NAME, with further arguments of curl; it prints the answer and, on a line
 * of its own, the HTTP code, which `code_of` takes from it. By curl, because kubectl takes ten times its processor time, and a join
 * waits for it. Where it cannot say, kubectl must be asked.
 */
export const nodeApi = sh`
    node_api() {
        curl -s --noproxy '*' -m 10 --cacert ${pkiFolder}/ca.crt --cert ${pkiFolder}/apiserver-kubelet-client.crt \\
            --key ${pkiFolder}/apiserver-kubelet-client.key -w '\\n%{http_code}' "$@" \\
            "$(sed -n 's/^ *server: *//p' ${adminConfig})/api/v1/nodes/$NAME" 2>/dev/null || true
    }
    code_of() { printf '%s' "\${1##*[!0-9]}"; }
`;
