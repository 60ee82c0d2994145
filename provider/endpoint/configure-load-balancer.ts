import type { HostSpec } from "../common/model";
import { errorsFor } from "../shell/exit-codes";
import { stateFolder } from "../shell/folders";
import { script } from "../shell/script-file";
import { step } from "../steps/step";
import { haproxyConfig } from "./haproxy-config";
import { carriesLoadBalancer } from "./install-load-balancer";
import { checkScriptFor, checkScriptPath, interfacePlaceholder, keepalivedConfig } from "./keepalived-config";
import { vrrpListener } from "./vrrp-listener";

/** HAProxy on every control-plane node, in front of all API servers. A reload keeps existing connections. */
export const configureHaproxy = step<HostSpec>({ id: "host.haproxy", title: "configure HAProxy" })(spec => {
    if (!carriesLoadBalancer(spec)) return undefined;
    return {
        revision: 1,
        files: [
            {
                path: "/etc/haproxy/haproxy.cfg",
                content: haproxyConfig(spec.endpoint, spec.masters, spec.formerEndpoints),
            },
        ],
        run: script("endpoint/configure-haproxy.sh"),
        observe: { script: script("endpoint/observe-haproxy.sh") },
        timeoutSeconds: 60,
    };
});

/**
 * If another cluster used our router id on the same network, both virtual addresses would move back and forth. So
 * listen first.
 */
export const checkVirtualRouterId = step<HostSpec>({
    id: "host.virtual-router-id",
    title: "look for other owners of the virtual router id",
    notCompared: "it only looks at other machines",
})(spec => {
    if (!carriesLoadBalancer(spec)) return undefined;
    const vip = spec.endpoint.vip!;
    return {
        revision: 1,
        env: {
            VIP_INTERFACE: vip.interface,
            ADDRESS: spec.address,
            VRID: String(vip.virtualRouterId),
            MASTERS: spec.masters.map(({ address }) => address).join(" "),
            LISTENER: vrrpListener,
        },
        run: script("endpoint/check-virtual-router-id.sh"),
        observe: { unseen: "it looks at other machines, before keepalived runs here" },
        errors: errorsFor("VRID_IN_USE"),
        // The list of control-plane nodes is left out: otherwise a new one would make all others listen again.
        declaredState: { vrid: vip.virtualRouterId, interface: vip.interface, address: spec.address },
        timeoutSeconds: 30,
    };
});

/** keepalived moves the virtual address to a control-plane node whose HAProxy answers. */
export const configureKeepalived = step<HostSpec>({
    id: "host.keepalived",
    title: "configure keepalived",
    api: "unknown",
})(spec => {
    if (!carriesLoadBalancer(spec)) return undefined;
    const template = `${stateFolder}/keepalived.conf`;
    const ofTemplate = { TEMPLATE: template, INTERFACE_PLACEHOLDER: interfacePlaceholder };
    return {
        revision: 1,
        // Not disruptive. If nodes were changed one after another, those with the former router id and those with the
        // new one would each have a holder of the address.
        files: [
            { path: checkScriptPath, content: checkScriptFor(spec), mode: 0o755 },
            { path: template, content: keepalivedConfig(spec) },
        ],
        env: { VIP_INTERFACE: spec.endpoint.vip!.interface, ADDRESS: spec.address },
        run: script("endpoint/configure-keepalived.sh", ofTemplate),
        observe: { script: script("endpoint/observe-keepalived.sh", ofTemplate) },
        timeoutSeconds: 60,
    };
});
