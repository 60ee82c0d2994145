import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { problems } from "../../../../components/validation/validate";
import { toYaml } from "../../../../provider/common/to-yaml";
import { clusterArgs } from "../../../unit/components/sample-args";
import { realKubeadm } from "./real-kubeadm";

/** Values that a program may give, by the input: right ones and wrong ones. kubeadm is the judge of which is which. Only names like 256.1.1.1, which it takes, we refuse. */
const tried = {
    certificateSans: [
        ...["api.site", "*.api.site", "10.0.0.1", "fe80::1", "API.corp.example.com"],
        ...[
            "https://api.corp.example.com",
            "10.0.0.1:6443",
            "api.",
            "*",
            "a.*.b",
            "a_b",
            "[::1]",
            "fe80::1%eth0",
            "api/",
        ],
    ],
    host: ["api.site", "10.0.0.1", "API.site", "api.site.", "a_b"],
    podCidr: ["172.16.0.0/16", "172.16.0.0/24", "172.16.0.0/25", "64.0.0.0/8", "64.0.0.0/7", "64.0.0.0/4"],
    serviceCidr: ["172.16.0.0/12", "172.0.0.0/11", "172.16.0.0/28", "172.16.0.0/29", "172.16.0.0/30"],
    dnsDomain: ["cluster.local", "Cluster.local", "cluster.local.", "a_b"],
};
type Input = keyof typeof tried;

describe("what kubeadm refuses is refused at preview", function () {
    this.timeout("40m");
    const real = realKubeadm();

    const isRightForKubeadm = (given: Partial<Record<Input, string>>) => {
        const {
            certificateSans = "a",
            host = "10.99.0.1",
            podCidr = "10.244.0.0/16",
            serviceCidr = "10.96.0.0/16",
        } = given;
        const { dnsDomain = "cluster.local" } = given;
        const api = "kubeadm.k8s.io/v1beta4";
        const file = join(real.folder, "config.yaml");
        writeFileSync(
            file,
            toYaml(
                { apiVersion: api, kind: "InitConfiguration", localAPIEndpoint: { advertiseAddress: "10.99.0.11" } },
                {
                    ...{ apiVersion: api, kind: "ClusterConfiguration", kubernetesVersion: "v1.36.3" },
                    controlPlaneEndpoint: `${host}:6443`,
                    networking: { podSubnet: podCidr, serviceSubnet: serviceCidr, dnsDomain },
                    apiServer: { certSANs: [certificateSans] },
                },
            ),
        );
        return spawnSync(real.kubeadm, ["config", "validate", "--config", file]).status === 0;
    };
    const isRightForUs = ({ certificateSans, host, ...network }: Partial<Record<Input, string>>) => {
        const controlPlane = {
            ...(certificateSans && { certificateSans: [certificateSans] }),
            ...(host && { endpoint: { external: { host } } }),
        };
        return problems("KubernetesCluster", clusterArgs(1, {}, { controlPlane, network })).length === 0;
    };

    for (const input of Object.keys(tried) as Input[]) {
        it(input, () => {
            const judged = tried[input].map(value => [value, isRightForKubeadm({ [input]: value })] as const);
            assert.ok(judged.some(([, isRight]) => isRight) && judged.some(([, isRight]) => !isRight));
            assert.deepEqual(
                tried[input].map(value => [value, isRightForUs({ [input]: value })]),
                judged,
            );
        });
    }
});
