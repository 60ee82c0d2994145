import type { KubernetesClusterArgs } from "../../components/args/args";
import { run } from "../../lab/process";
import { quote } from "../../provider/ssh";
import type { Connection } from "../../provider/ssh/types";
import { type Observed, observe } from "../../provider/steps/observe";
import type { Step } from "../../provider/steps/types";
import { plannedCluster } from "../unit/components/planned-cluster";
import { clusterKeys, type Identity, publicIdentity } from "../unit/provider/identity/made-identity";
import { canaries, type Fixture } from "./cluster-fixture";

/** The steps that a run of the program carries out now, by machine; those of the cluster itself under "cluster". */
export async function stepsOf(fixture: Fixture, args: KubernetesClusterArgs): Promise<Record<string, Step[]>> {
    const identity = await identityOf(fixture);
    const { caCertHash, ...known } = {
        ...publicIdentity(identity),
        ...{ identity: publicIdentity(identity), keys: clusterKeys(identity), fingerprintKey: identity.fingerprintKey },
    };
    const { steps } = plannedCluster(withSecrets(fixture, args), { ...known, caCertHash });
    const places = [...new Set(steps.map(({ place }) => place))];
    return Object.fromEntries(
        places.map(each => [each, steps.filter(({ place }) => place === each).map(({ step }) => step)]),
    );
}

/** What a look at the machine shows, in one round trip. `on`: another machine than `place`. */
export async function observed(
    { lab }: Fixture,
    steps: Record<string, Step[]>,
    place: string,
    on = place,
): Promise<Record<string, Observed>> {
    let trips = 0;
    const connection = {
        target: { host: on },
        exec: (argv: readonly string[], { stdin }: { stdin?: string } = {}) => {
            trips++;
            return run([...lab.sshArgv(on, "root"), quote(argv)], { stdin, anyExit: true });
        },
    } as unknown as Connection;
    const seen = await observe(connection, steps[place]!);
    if (trips !== 1) throw new Error(`${trips} round trips`);
    return seen;
}

/** As program/index.js adds them. */
function withSecrets({ lab }: Fixture, args: KubernetesClusterArgs): KubernetesClusterArgs {
    const whole = structuredClone(args) as any;
    whole.infrastructure.hosts.ssh.privateKey = lab.node("m1").privateKey;
    for (const mirror of Object.values<any>(whole.registries ?? {})) mirror.password = canaries.registryPassword;
    if (whole.proxy) whole.proxy.httpsProxy = canaries.proxy;
    return whole;
}

async function identityOf({ project }: Fixture): Promise<Identity> {
    const { output } = await project.start(["stack", "export", "--show-secrets"]).done;
    const { resources } = JSON.parse(output).deployment as { resources: { urn: string; outputs?: any }[] };
    const outputsOf = (type: string) => resources.find(({ urn }) => urn.includes(`nfv:${type}::`))!.outputs;
    const plain = (value: any): any => {
        if (value === null || typeof value !== "object") return value;
        if (typeof value.plaintext === "string") return plain(JSON.parse(value.plaintext));
        return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
    };
    const { clusterId, fingerprintKey } = plain(outputsOf("ClusterId"));
    const { certificates, keys } = plain(outputsOf("ClusterKeys"));
    return { clusterName: "core", clusterId, fingerprintKey, ...certificates.current, ...keys };
}
