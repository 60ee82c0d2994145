import { sh } from "../shell/script";
import { apiCurl } from "./api-curl";

/**
 * Shell, beside `kubeadm join` of a master: `hurry_kubelet` waits until the API server of this machine is ready and then starts kubelet
 * anew, once, if its node is not there yet; wants ADDRESS and NAME. kubelet asks this very API server for its certificate and for its
 * node long before that one can say yes, and by then makes pauses of up to seven seconds between its tries. Containers go on running.
 */
export const hurryKubelet =
    apiCurl +
    sh`
    own_api() {
        api_curl -o /dev/null -w '%{http_code}' -m 5 "https://$ADDRESS:6443$1" || true
    }
    hurry_kubelet() {
        command -v curl >/dev/null || return 0
        tries=0
        until [ "$(own_api /readyz)" = 200 ]; do
            tries=$((tries + 1))
            [ $tries -lt 1500 ] || return 0
            sleep 0.2
        done
        [ "$(own_api "/api/v1/nodes/$NAME")" != 404 ] || systemctl restart kubelet.service
    }
`;
