import { proxyEnvironmentFile } from "../shell/folders";
import { exceptionsOf, proxyLines } from "../shell/proxy-environment";
import { sh } from "../shell/script";
import { step } from "../steps/step";
import type { StepFile } from "../steps/types";
import type { StorageSpec } from "./spec";

/** HTTP proxy for the packages of a storage server. Its URL may contain a login. */
export const configureProxy = step<StorageSpec>({ id: "storage.proxy", title: "configure the HTTP proxy" })(spec => {
    const files = proxyFiles(spec);
    return {
        revision: 1,
        files,
        env: { PROXY: files.length > 0 ? "yes" : "" },
        run: sh`
            [ "$PROXY" = yes ] || rm -f ${proxyEnvironmentFile}
        `,
        observe: { unseen: "without a proxy there is no file, which nothing reads" },
        timeoutSeconds: 30,
    };
});

function proxyFiles({ proxy = {}, address }: StorageSpec): StepFile[] {
    if (!proxy.httpProxy && !proxy.httpsProxy) return [];
    const exceptions = ["localhost", "127.0.0.1", address, ...exceptionsOf(proxy.noProxy)];
    const content = proxyLines(proxy, [...new Set(exceptions)]);
    return [{ path: proxyEnvironmentFile, content, mode: 0o600, secret: true }];
}
