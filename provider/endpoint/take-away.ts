import { proxyEnvironmentFile, stateFolder } from "../shell/folders";
import { restoreOriginal } from "../shell/originals";
import { originalsNotes } from "../shell/originals-notes";
import { sh, usualPath } from "../shell/script";
import { formerMarks, formersFile, withoutFormer } from "./side-by-side";
import { guardRulesPath, guardService, removeFormerGuards, removeVrrpGuard } from "./vrrp-guard";

/** Steps whose effect the script below undoes. They must run again if the cluster gets a virtual address once more. */
export const loadBalancerSteps = [
    "host.haproxy",
    "host.virtual-address-free",
    "host.virtual-router-id",
    "host.virtual-address-guard",
    "host.keepalived",
];

/**
 * Removes former endpoints from a node once all nodes have moved. The list of former endpoints is deleted last, so that
 * an interrupted run starts over. HOST and PORT: the wanted endpoint. VIP and LOAD_BALANCER are "yes" if that is a
 * virtual address and, for the second, if this is a control-plane node.
 */
export const takeAwayScript =
    `${usualPath}\n` +
    withoutFormer +
    restoreOriginal +
    sh`
        [ -s ${formersFile} ] || exit 0
        if [ "$VIP" = yes ]; then
            if [ "$LOAD_BALANCER" = yes ]; then
                kept() { sed '/^${formerMarks[0]}$/,/^${formerMarks[1]}$/d' "$1"; }
                if ! kept /etc/keepalived/keepalived.conf | grep -qF " $HOST/" || ! kept /etc/haproxy/haproxy.cfg | grep -qx "    bind \\*:$PORT"; then
                    echo "this master does not serve $HOST:$PORT: nothing is taken away" >&2
                    exit 1
                fi
                # the address goes before what answers at it
                without_former ${stateFolder}/keepalived.conf
                without_former /etc/keepalived/keepalived.conf
                systemctl reload-or-restart keepalived.service
                without_former /etc/haproxy/haproxy.cfg
                haproxy -c -q -f /etc/haproxy/haproxy.cfg
                systemctl reload-or-restart haproxy.service
                for service in keepalived haproxy; do systemctl -q is-active "$service.service"; done
            fi
            without_former ${stateFolder}/virtual-address.nft
            without_former ${guardRulesPath}
            systemctl reload-or-restart ${guardService}
            ${removeFormerGuards}
        elif grep -q '"vip":' ${formersFile}; then
            if [ "$LOAD_BALANCER" = yes ]; then
                restore /etc/keepalived/keepalived.conf
                restore /etc/haproxy/haproxy.cfg
                for service in keepalived.service haproxy.service; do
                    # one that was there before us goes on with its own settings
                    if grep -qxF "$service" ${originalsNotes.services} 2>/dev/null; then systemctl reload-or-restart "$service" || true
                    else systemctl -q disable --now "$service" || true; fi
                done
            fi
            ${removeVrrpGuard}
        fi
        without_former /etc/hosts
        without_former ${proxyEnvironmentFile}
        rm -f ${formersFile}
    `;
