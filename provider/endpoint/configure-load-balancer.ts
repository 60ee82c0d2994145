import type { HostSpec } from "../model";
import { errorsFor, exitCodes } from "../shell/exit-codes";
import { stateFolder } from "../shell/folders";
import { sh } from "../shell/script";
import type { StepFactory } from "../steps/types";
import { haproxyConfig } from "./haproxy-config";
import { carriesLoadBalancer } from "./install-load-balancer";
import { checkScriptFor, checkScriptPath, interfacePlaceholder, keepalivedConfig } from "./keepalived-config";
import { vrrpListener } from "./vrrp-listener";

/** HAProxy on every control-plane node, in front of all API servers. A reload keeps existing connections. */
export const configureHaproxy: StepFactory<HostSpec> = spec => {
    if (!carriesLoadBalancer(spec)) return undefined;
    return {
        id: "host.haproxy",
        title: "configure HAProxy",
        revision: 1,
        files: [
            {
                path: "/etc/haproxy/haproxy.cfg",
                content: haproxyConfig(spec.endpoint, spec.masters, spec.formerEndpoints),
            },
        ],
        run: sh`
            haproxy -c -q -f /etc/haproxy/haproxy.cfg
            if command -v getenforce >/dev/null && [ "$(getenforce)" != Disabled ]; then setsebool -P haproxy_connect_any 1; fi
            SYSTEMCTL_SKIP_SYSV=1 systemctl enable -q --no-reload haproxy.service
            systemctl reload-or-restart haproxy.service
            systemctl -q is-active haproxy.service
        `,
        timeoutSeconds: 60,
    };
};

/** Shell: sets $interface to the interface that is to carry the virtual address. */
export const findInterface = sh`
    interface=$VIP_INTERFACE
    [ -n "$interface" ] || interface=$(ip -o address show to "$ADDRESS" | awk '{ print $2; exit }')
    [ -n "$interface" ] || { echo "no network interface has the address $ADDRESS" >&2; exit 1; }
`;

/**
 * If another cluster used our router id on the same network, both virtual addresses would move back and forth. So
 * listen first.
 */
export const checkVirtualRouterId: StepFactory<HostSpec> = spec => {
    if (!carriesLoadBalancer(spec)) return undefined;
    const vip = spec.endpoint.vip!;
    return {
        id: "host.virtual-router-id",
        title: "look for other owners of the virtual router id",
        revision: 1,
        env: {
            VIP_INTERFACE: vip.interface,
            ADDRESS: spec.address,
            VRID: String(vip.virtualRouterId),
            LISTENER: vrrpListener,
        },
        run:
            findInterface +
            sh`
                command -v python3 >/dev/null || { echo "no python3: not looked for others with VRRP id $VRID"; exit 0; }
                own=$(systemctl -q is-active keepalived.service && cat /etc/keepalived/keepalived.conf || true)
                others=$(python3 -c "$LISTENER" "$interface" "$VRID" 1.5) || { echo "could not listen for VRRP"; exit 0; }
                for other in $others; do
                    # an address that keepalived knows here is one of our masters
                    printf '%s\\n' "$own" | grep -qwF "$other" && continue
                    echo "$other advertises VRRP id $VRID on $interface already" >&2
                    exit ${exitCodes.VRID_IN_USE}
                done
            `,
        errors: errorsFor("VRID_IN_USE"),
        // The list of control-plane nodes is left out: otherwise a new one would make all others listen again.
        declaredState: { vrid: vip.virtualRouterId, interface: vip.interface, address: spec.address },
        timeoutSeconds: 30,
    };
};

/** keepalived moves the virtual address to a control-plane node whose HAProxy answers. */
export const configureKeepalived: StepFactory<HostSpec> = spec => {
    if (!carriesLoadBalancer(spec)) return undefined;
    const template = `${stateFolder}/keepalived.conf`;
    return {
        id: "host.keepalived",
        title: "configure keepalived",
        revision: 1,
        // Not disruptive. If nodes were changed one after another, those with the former router id and those with the
        // new one would each have a holder of the address.
        files: [
            { path: checkScriptPath, content: checkScriptFor(spec), mode: 0o755 },
            { path: template, content: keepalivedConfig(spec) },
        ],
        env: { VIP_INTERFACE: spec.endpoint.vip!.interface, ADDRESS: spec.address },
        run:
            findInterface +
            sh`
                mkdir -p /etc/keepalived
                sed "s/${interfacePlaceholder}/$interface/" ${template} > /etc/keepalived/keepalived.conf.new
                # 2.2 ends its own process group when the configuration has a script and is right: 143 is a yes
                code=0
                said=$(setsid -w keepalived -t -f /etc/keepalived/keepalived.conf.new 2>&1) || code=$?
                case $code in
                    0 | 143) ;;
                    *) printf '%s\\n' "$said" >&2; exit 1 ;;
                esac
                mv /etc/keepalived/keepalived.conf.new /etc/keepalived/keepalived.conf
                SYSTEMCTL_SKIP_SYSV=1 systemctl enable -q --no-reload keepalived.service
                systemctl reload-or-restart keepalived.service
                systemctl -q is-active keepalived.service
            `,
        timeoutSeconds: 60,
    };
};
