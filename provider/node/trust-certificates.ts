import type { HostSpec } from "../model";
import { stateFolder } from "../shell/folders";
import { sh } from "../shell/script";
import type { StepFactory } from "../steps/types";

const folder = `${stateFolder}/certificates`;

/** Certificates of authorities that the whole system trusts: for registries, proxies, the site's own services. */
export const trustCertificates: StepFactory<HostSpec> = spec => ({
    id: "host.certificates",
    title: "trust certificate authorities",
    revision: 1,
    files: spec.trustedCertificates.map((content, i) => ({ path: `${folder}/pulumi-nfv-${i + 1}.crt`, content })),
    env: { COUNT: String(spec.trustedCertificates.length) },
    run: sh`
        if [ -d /etc/pki/ca-trust/source/anchors ]; then
            target=/etc/pki/ca-trust/source/anchors
            update=update-ca-trust
        else
            target=/usr/local/share/ca-certificates
            update=update-ca-certificates
        fi
        before=$(ls $target/pulumi-nfv-*.crt 2>/dev/null || true)
        [ "$COUNT" -gt 0 ] || [ -n "$before" ] || exit 0
        rm -f $target/pulumi-nfv-*.crt
        mkdir -p $target
        i=1
        while [ $i -le "$COUNT" ]; do
            cp ${folder}/pulumi-nfv-$i.crt $target/
            i=$((i + 1))
        done
        $update >/dev/null
    `,
    timeoutSeconds: 60,
});
