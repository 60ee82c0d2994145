import { sh } from "../shell/script";
import { pkiFolder } from "./paths";

/**
 * Shell, on a control-plane node: `api_curl` calls an API server with the client certificate apiserver-kubelet-client.
 * kubectl would need ten times the CPU.
 */
export const apiCurl = sh`
    api_curl() {
        curl -s --noproxy '*' --cacert ${pkiFolder}/ca.crt --cert ${pkiFolder}/apiserver-kubelet-client.crt \\
            --key ${pkiFolder}/apiserver-kubelet-client.key "$@" 2>/dev/null
    }
`;
