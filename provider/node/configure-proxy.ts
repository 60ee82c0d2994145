import type { EndpointSpec, HostSpec } from "../common/model";
import { formerLines, namesOf } from "../endpoint/side-by-side";
import { proxyEnvironmentFile } from "../shell/folders";
import { exceptionsOf, proxyLines, quotable, variableLines } from "../shell/proxy-environment";
import { script } from "../shell/script-file";
import { step } from "../steps/step";
import type { StepFile } from "../steps/types";

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
    return [...new Set([...own, ...exceptionsOf(spec.proxy?.noProxy)])];
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
    // if a variable occurs twice, the last line counts
    const former = formerEndpoints.length > 0 ? variableLines("NO_PROXY", without(endpoint, ...formerEndpoints)) : [];
    const apt = [
        httpProxy && `Acquire::http::Proxy "${httpProxy}";\n`,
        httpsProxy && `Acquire::https::Proxy "${httpsProxy}";\n`,
    ];
    return [
        {
            path: proxyEnvironmentFile,
            content: proxyLines(spec.proxy ?? {}, noProxy(spec)) + formerLines(former.map(line => line.trimEnd())),
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
export const configureProxy = step<HostSpec>({
    id: "host.proxy",
    title: "configure the HTTP proxy",
    disruptive: "containerd and kubelet restart: pods go on; sessions of `kubectl exec` and `logs` on this node end",
})(spec => {
    const files = proxyFiles(spec);
    return {
        revision: 1,
        files,
        env: { PROXY: files.length > 0 ? "yes" : "" },
        run: script("node/configure-proxy.sh", { PROXY_FILES: allFiles.join(" ") }),
        observe: { script: script("node/observe-proxy.sh", { PROXY_FILES: allFiles.join(" ") }) },
        timeoutSeconds: 120,
    };
});
