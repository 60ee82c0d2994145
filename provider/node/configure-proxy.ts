import type { HostSpec } from "../model";
import type { StepFactory, StepFile } from "../steps/types";
import { sh } from "./script";

const services = ["containerd", "kubelet"];

/** What never goes through the proxy: the nodes, pods and services, the endpoint, and what the user adds. */
export function noProxy(spec: HostSpec): string[] {
    const { podCidr, serviceCidr, dnsDomain } = spec.network;
    const { host, vip, hostsEntry } = spec.endpoint;
    const own = [
        "localhost",
        "127.0.0.1",
        spec.address,
        // Other workers are not among them: nothing here talks to them, and a new one shall change nobody's services.
        ...spec.masters.map(({ address }) => address),
        host,
        vip?.address,
        hostsEntry?.address,
        podCidr,
        serviceCidr,
        ".svc",
        `.${dnsDomain}`,
    ].filter(each => each !== undefined);
    return [...new Set([...own, ...(spec.proxy?.noProxy ?? [])])];
}

/** systemd knows % as its own sign in values. */
function environmentLine(name: string, value: string): string {
    return `Environment=${JSON.stringify(`${name}=${value}`).replace(/%/g, "%%")}\n`;
}

/** Drop-ins for the services that fetch something, and apt's own setting. Proxies may carry a login: root only. */
export function proxyFiles(spec: HostSpec): StepFile[] {
    const { httpProxy, httpsProxy } = spec.proxy ?? {};
    if (!httpProxy && !httpsProxy) return [];
    const variables: [string, string | undefined][] = [
        ["HTTP_PROXY", httpProxy],
        ["HTTPS_PROXY", httpsProxy],
        ["NO_PROXY", noProxy(spec).join(",")],
    ];
    const dropIn =
        "[Service]\n" + variables.map(([name, value]) => (value ? environmentLine(name, value) : "")).join("");
    const apt = [
        httpProxy && `Acquire::http::Proxy "${httpProxy}";\n`,
        httpsProxy && `Acquire::https::Proxy "${httpsProxy}";\n`,
    ];
    return [
        ...services
            .map(name => `/etc/systemd/system/${name}.service.d/http-proxy.conf`)
            .map(path => ({ path, content: dropIn })),
        { path: "/etc/apt/apt.conf.d/95pulumi-nfv-proxy", content: apt.filter(Boolean).join("") },
    ].map(file => ({ ...file, mode: 0o600, secret: true }));
}

/** HTTP proxy of the container runtime, kubelet and apt; taken away again when the cluster has none any more. */
export const configureProxy: StepFactory<HostSpec> = spec => {
    const files = proxyFiles(spec);
    return {
        id: "host.proxy",
        title: "configure the HTTP proxy",
        files,
        env: { PROXY: files.length > 0 ? "yes" : "" },
        run: sh`
            if [ -z "$PROXY" ]; then
                files=$(ls /etc/systemd/system/containerd.service.d/http-proxy.conf /etc/systemd/system/kubelet.service.d/http-proxy.conf \\
                    /etc/apt/apt.conf.d/95pulumi-nfv-proxy 2>/dev/null || true)
                [ -n "$files" ] || exit 0
                rm -f $files
            fi
            systemctl daemon-reload
            for service in containerd kubelet; do systemctl -q try-restart "$service.service"; done
        `,
        timeoutSeconds: 120,
    };
};
