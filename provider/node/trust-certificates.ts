import type { HostSpec } from "../common/model";
import { stateFolder } from "../shell/folders";
import { script } from "../shell/script-file";
import { step } from "../steps/step";

const folder = `${stateFolder}/certificates`;

/** Certificates of authorities that the whole system trusts: for registries, proxies, the site's own services. */
export const trustCertificates = step<HostSpec>({ id: "host.certificates", title: "trust certificate authorities" })(
    spec => ({
        revision: 1,
        files: spec.trustedCertificates.map((content, i) => ({ path: `${folder}/pulumi-nfv-${i + 1}.crt`, content })),
        env: { COUNT: String(spec.trustedCertificates.length) },
        run: script("node/trust-certificates.sh", { CERTIFICATE_FOLDER: folder }),
        observe: { script: script("node/observe-certificates.sh", { CERTIFICATE_FOLDER: folder }) },
        timeoutSeconds: 60,
    }),
);
