import { formerLines, namesOf } from "../endpoint/side-by-side";
import type { EndpointSpec, HostSpec } from "../model";
import { proxyEnvironmentFile } from "../shell/folders";
import { script } from "../shell/script-file";
import type { StepFactory, StepFile } from "../steps/types";

const services = ["containerd", "kubelet"];
const aptFile = "/etc/apt/apt.conf.d/95pulumi-nfv-proxy";
const dropIn = (service: string) => `/etc/systemd/system/${service}.service.d/http-proxy.conf`;
const allFiles = [...services.map(dropIn), aptFile, proxyEnvironmentFile];

/** Destinations that never go through the proxy: nodes, pods and services, the endpoint, and the user's own list. */
export function noProxy(spec: HostSpec, endpoints: readonly EndpointSpec[] = [spec.endpoint]): string[] {
    const { podCidr, serviceCidr, dnsDomain } = spec.network;
    const own = [
        "localhost",
        "127.0.0.1",
        spec.address,
        // Other workers are left out: nothing here connects to them, and a new worker must not change services of other
        // nodes.
        ...spec.masters.map(({ address }) => address),
        ...endpoints.flatMap(namesOf),
        podCidr,
        serviceCidr,
        ".svc",
        `.${dnsDomain}`,
    ];
    // An entry may itself be a list in the syntax of NO_PROXY.
    const given = (spec.proxy?.noProxy ?? []).flatMap(entry => entry.split(/[\s,]+/)).filter(entry => entry !== "");
    return [...new Set([...own, ...given])];
}

/** Percent-encodes characters that have a meaning within quotes of shells, systemd or apt. */
function quotable(url: string | undefined): string | undefined {
    return url?.replace(/['"\\\s]/g, sign => `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);
}

/** A line for both systemd and shells: neither expands anything between single quotes. */
function environmentLine(name: string, value: string): string {
    return `${name}='${value}'\n`;
}

/** Both spellings: curl reads http_proxy in lower case only. */
function variableLines(name: string, value: string | undefined): string[] {
    return value ? [environmentLine(name, value), environmentLine(name.toLowerCase(), value)] : [];
}

/**
 * The variables in a file that only root reads, drop-ins for the services that download something, and apt's own
 * setting. A proxy's URL may contain a login. systemd shows the content of `Environment=` to every user, whatever the
 * mode of the drop-in; for an environment file it shows only the path.
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
    // if a variable occurs twice, the last line counts
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

/**
 * HTTP proxy for the container runtime, kubelet, apt and our own downloads. Removed again when the cluster no longer
 * has a proxy.
 */
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
        run: script("node/configure-proxy.sh", { PROXY_FILES: allFiles.join(" ") }),
        observe: { script: script("node/observe-proxy.sh", { PROXY_FILES: allFiles.join(" ") }) },
        timeoutSeconds: 120,
    };
};
