import { sh } from "../node/script";
import { adminConfig, pkiFolder } from "./paths";

/**
 * Shell: `api_ready` says whether the API server of this machine is ready; wants ADDRESS. By curl where there is one: kubectl takes ten
 * times its processor time, and this is asked often. Without curl, or where it cannot say, by kubectl.
 */
export const apiReady = sh`
    api_ready() {
        code=0
        curl -sf -o /dev/null --noproxy '*' -m 5 --cacert ${pkiFolder}/ca.crt \\
            --cert ${pkiFolder}/apiserver-kubelet-client.crt --key ${pkiFolder}/apiserver-kubelet-client.key \\
            "https://$ADDRESS:6443/readyz" 2>/dev/null || code=$?
        case $code in
            0) return 0 ;;
            # no connection; an answer that is not yes; no answer in time
            7 | 22 | 28) return 1 ;;
        esac
        kubectl --kubeconfig ${adminConfig} --server "https://$ADDRESS:6443" --request-timeout=5s get --raw /readyz >/dev/null 2>&1
    }
`;
