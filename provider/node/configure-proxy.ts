import { formerLines, namesOf } from "../endpoint/side-by-side";
import type { EndpointSpec, HostSpec } from "../model";
import { proxyEnvironmentFile } from "../shell/folders";
import { sh } from "../shell/script";
import type { StepFactory, StepFile } from "../steps/types";

const services = ["containerd", "kubelet"];
const aptFile = "/etc/apt/apt.conf.d/95pulumi-nfv-proxy";
const dropIn = (service: string) => `/etc/systemd/system/${service}.service.d/http-proxy.conf`;

/** What never goes through the proxy: the nodes, pods and services, the endpoint, and what the user adds. */
export function noProxy(spec: HostSpec, endpoints: readonly EndpointSpec[] = [spec.endpoint]): string[] {
    const { podCidr, serviceCidr, dnsDomain } = spec.network;
    const own = [
        "localhost",
        "127.0.0.1",
        spec.address,
        // Other workers are not among them: nothing here talks to them, and a new one shall change nobody's services.
        ...spec.masters.map(({ address }) => address),
        ...endpoints.flatMap(namesOf),
        podCidr,
        serviceCidr,
        ".svc",
        `.${dnsDomain}`,
    ];
    // Each entry may be a list as NO_PROXY itself has them.
    const given = (spec.proxy?.noProxy ?? []).flatMap(entry => entry.split(/[\s,]+/)).filter(entry => entry !== "");
    return [...new Set([...own, ...given])];
}

/** Signs that quotes of shells, systemd and apt give a meaning to, as URLs write them. */
function quotable(url: string | undefined): string | undefined {
    return url?.replace(/['"\\\s]/g, sign => `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);
}

/** One line that systemd and a shell read alike: between single quotes neither of them expands anything. */
function environmentLine(name: string, value: string): string {
    return `${name}='${value}'\n`;
}

/** curl reads http_proxy in small letters only. */
function variableLines(name: string, value: string | undefined): string[] {
    return value ? [environmentLine(name, value), environmentLine(name.toLowerCase(), value)] : [];
}

/**
 * The variables in a file that only root reads, drop-ins for the services that fetch something, and apt's own setting. Proxies may carry
 * a login. systemd shows what stands in `Environment=` to every user, whatever the mode of the drop-in; of a file it shows the name.
 */
export function proxyFiles(spec: HostSpec): StepFile[] {
    const [httpProxy, httpsProxy] = [quotable(spec.proxy?.httpProxy), quotable(spec.proxy?.httpsProxy)];
    if (!httpProxy && !httpsProxy) return [];
    const { endpoint, formerEndpoints = [] } = spec;
    const without = (...endpoints: EndpointSpec[]) => quotable(noProxy(spec, endpoints).join(","));
    const variables: [string, string | undefined][] = [
        ["HTTP_PROXY", httpProxy],
        ["HTTPS_PROXY", httpsProxy],
        ["NO_PROXY", without(endpoint)],
    ];
    // the last line counts
    const former = formerEndpoints.length > 0 ? variableLines("NO_PROXY", without(endpoint, ...formerEndpoints)) : [];
    const environment = variables.flatMap(([name, value]) => variableLines(name, value));
    const apt = [
        httpProxy && `Acquire::http::Proxy "${httpProxy}";\n`,
        httpsProxy && `Acquire::https::Proxy "${httpsProxy}";\n`,
    ];
    return [
        {
            path: proxyEnvironmentFile,
            content: environment.join("") + formerLines(former.map(line => line.trimEnd())),
            mode: 0o600,
            secret: true,
        },
        { path: aptFile, content: apt.filter(Boolean).join(""), mode: 0o600, secret: true },
        ...services.map(name => ({
            path: dropIn(name),
            content: `[Service]\nEnvironmentFile=-${proxyEnvironmentFile}\n`,
        })),
    ];
}

/** HTTP proxy of the container runtime, kubelet, apt and our own downloads; taken away again when the cluster has none any more. */
export const configureProxy: StepFactory<HostSpec> = spec => {
    const files = proxyFiles(spec);
    return {
        id: "host.proxy",
        title: "configure the HTTP proxy",
        revision: 1,
        disruptive:
            "containerd and kubelet restart: pods go on; sessions of `kubectl exec` and `logs` on this node end",
        files,
        env: { PROXY: files.length > 0 ? "yes" : "" },
        run: sh`
            if [ -z "$PROXY" ]; then
                files=$(ls ${[...services.map(dropIn), aptFile, proxyEnvironmentFile].join(" ")} 2>/dev/null || true)
                [ -n "$files" ] || exit 0
                rm -f $files
            fi
            systemctl daemon-reload
            for service in containerd kubelet; do systemctl -q try-restart "$service.service"; done
        `,
        timeoutSeconds: 120,
    };
};
