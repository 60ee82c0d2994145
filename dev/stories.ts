/** Parts of the tests that do not run in each landing, and what makes one due again. */
export interface Story {
    /** Folders and files from the project's root. A change in one of them, or in the story's own files, makes the story due. */
    sources: readonly string[];
    /** A landing runs only one story with this word, in turn: also where nothing that it tests has changed. */
    inTurn?: string;
    /** Only its file `*.full.test.ts` waits for a change: the short one beside it runs in each landing. */
    longOnly?: true;
}

const certificates = [
    "provider/identity",
    "provider/kubeadm",
    "provider/member",
    "components/args/certificates-args.ts",
];
const clusterApi = [
    ...["provider/cluster-api", "components/cluster-api", "components/args/workload-inputs.ts"],
    ...["tools/cluster-api", "lab/cluster-api"],
];
const membership = [
    "provider/cluster",
    "provider/host",
    "provider/kubeadm",
    "provider/machine",
    "provider/member",
    "provider/operation",
];
/** What all requests of day 2 stand on. */
const requests = [
    "provider/procedures/request-resource.ts",
    "provider/procedures/stages.ts",
    "provider/procedures/reached.ts",
];
const etcd = [
    ...requests,
    ...[
        "provider/etcd",
        "provider/procedures/etcd-restore",
        "components/args/etcd-args.ts",
        "components/args/backup-args.ts",
        "components/kubernetes-cluster",
    ],
];
const upgrade = [
    ...[
        "provider/member",
        "provider/host",
        "provider/kubeadm",
        "provider/node",
        "components/args/upgrade-args.ts",
        "pipeline",
    ],
];
const storage = [...["provider/storage", "provider/nfs-csi", "components/storage", "components/args/storage-args.ts"]];
const rotation = [
    ...["provider/identity", "provider/kubeadm", "provider/procedures", "components/args/rotate-args.ts"],
    "components/kubernetes-cluster",
];
const cloud = ["components/infrastructure/openstack", "provider/openstack", "provider/cloud", "provider/cluster"];
const servers = [...cloud, "provider/member", "components/args/replace-servers-args.ts"];
const serverKeys = [
    ...cloud,
    ...requests,
    "provider/ssh",
    "provider/procedures/login-key",
    "components/args/rotate-args.ts",
];
const vim = ["provider/vim", "components/vim", "provider/network"];
const networkFunctions = ["components/cnf", "provider/vim", "provider/cnf"];
const hooks = [
    "provider/operation/hooks",
    "provider/cluster/hooks",
    "components/args/hook-args.ts",
    "components/common/hook-list.ts",
];
/** Of provider/, what tools and the test runner are made of. */
const common = [
    "provider/common/process-start.ts",
    "provider/common/errors.ts",
    "provider/common/proxy.ts",
    "package-lock.json",
];
const archive = ["dev/release", "package.json", "package-lock.json", "tsconfig.json", "templates"];

/**
 * By name: a folder of test/, or a test file without its ending. A landing leaves files `*.full.test.ts` out, and runs the others of
 * this table if they are due. What the table does not name runs in each landing.
 */
export const stories: Readonly<Record<string, Story>> = {
    "unit/bench": { sources: ["bench"] },
    "unit/dev": { sources: [...common, "dev", ".dependency-cruiser.cjs", "package.json", ".github"] },
    "unit/docs": { sources: ["docs", "README.md", "CHANGELOG.md", "examples", "templates", "components", "pipeline"] },
    "unit/examples": { sources: ["examples", "templates", "components", "pipeline"] },
    "unit/lab": { sources: ["lab"] },
    "unit/tools": {
        sources: ["tools", "provider/common/bundle.ts", "provider/images", "provider/kubernetes", ...common],
    },
    "integration/examples": { sources: ["examples", "pipeline"] },
    "integration/lab": { sources: ["lab"] },
    "integration/package": { sources: [...archive, "components/index.ts", "provider/index.ts", "pipeline/index.ts"] },
    "integration/tools": { sources: ["tools", "provider/images", ...common] },
    "integration/tools/cluster-api-components": { sources: ["tools", "provider/cluster-api"] },

    "openstack/cloud": { sources: ["lab/openstack"] },
    "openstack/stories/heat": { sources: cloud, inTurn: "OpenStack" },
    "openstack/stories/nova": { sources: cloud, inTurn: "OpenStack" },
    "openstack/stories/own-template": { sources: cloud, inTurn: "OpenStack" },

    "unit/components/infrastructure/openstack/nova/replaced-servers": {
        sources: ["components/infrastructure/openstack", "components/args/replace-servers-args.ts"],
        longOnly: true,
    },

    "integration/components/cluster-storage": { sources: storage, inTurn: "changes" },
    "integration/components/cnf": { sources: networkFunctions, inTurn: "network functions" },
    "integration/components/credential-report": {
        sources: [...clusterApi, "provider/vim"],
        inTurn: "network functions",
    },
    "integration/components/custom-resources": { sources: networkFunctions, inTurn: "network functions" },
    "integration/components/fleet": { sources: ["components", "provider", "testing"], inTurn: "engine" },
    "integration/components/heal": { sources: [...membership, "components/args/heal-args.ts"], inTurn: "changes" },
    "integration/components/kept-inputs": {
        sources: ["components", "provider/cluster", "provider/contract"],
        inTurn: "changes",
    },
    "integration/components/killed-change": { sources: membership, inTurn: "changes" },
    "integration/components/living-cluster": { sources: ["components", "provider"], inTurn: "engine" },
    "integration/components/operation-hooks": {
        sources: hooks,
        inTurn: "engine",
    },
    "integration/components/replaced-masters": { sources: membership },
    "integration/components/rotate-authorities": { sources: rotation, inTurn: "changes" },
    "integration/components/rotate-keys": { sources: rotation, inTurn: "changes" },
    "integration/components/sequences": { sources: ["components", "provider/steps", ...membership], longOnly: true },
    "integration/components/storage-server": { sources: storage, inTurn: "changes" },
    "integration/components/unchecked-changes": { sources: cloud, inTurn: "changes" },
    "integration/components/upgrade": { sources: upgrade, inTurn: "changes" },
    "integration/components/vim-endpoint": { sources: [...vim, "provider/endpoint"], inTurn: "network functions" },
    "integration/examples/linters": { sources: ["examples/pipelines", ".github"] },
    "integration/examples/pipeline-heal": { sources: ["examples/pipelines", "pipeline"] },
    "integration/examples/pipeline-script": { sources: ["examples/pipelines", "pipeline"] },
    "integration/package/bill": { sources: archive },
    "integration/package/newer-packages": { sources: archive },
    "integration/package/pnpm": { sources: archive },
    "integration/package/template": { sources: archive },
    "integration/pipeline/interrupted": { sources: ["pipeline", "provider/steps"], inTurn: "engine" },
    "integration/pipeline/page": { sources: ["pipeline"] },
    "integration/pipeline/same-hash": { sources: ["examples", "pipeline", "components/cnf"] },
    "integration/pipeline/planned-run": { sources: ["pipeline", "provider/adapters", "provider/member"] },
    "integration/pipeline/secrets": { sources: ["pipeline"], inTurn: "engine" },
    "integration/pipeline/site": {
        sources: ["pipeline", "components/kubernetes-cluster/from-config.ts", "examples/pipelines"],
    },
    "integration/pipeline/stopped-in-each-phase": { sources: ["pipeline", "provider/steps", "provider/ssh"] },
    "integration/provider/dynamic/dynamic": {
        sources: ["provider/adapters", "provider/contract"],
        inTurn: "engine",
    },
    "integration/provider/dynamic/engine-order": {
        sources: ["provider/adapters", "package-lock.json", "tools/versions.ts"],
    },
    "integration/provider/dynamic/event-stream": {
        sources: ["provider/adapters", "provider/contract", "docs/automation-api.md"],
        inTurn: "engine",
    },
    "integration/provider/storage/backup": { sources: storage },
    "integration/provider/storage/backup-s3": { sources: storage },
    "integration/provider/storage/storage": { sources: storage },

    "e2e/certificates": { sources: certificates },
    "e2e/ended-certificates": { sources: certificates },
    "e2e/cluster": { sources: [...membership, "provider/node", "provider/network", "provider/endpoint"] },
    "e2e/cluster-api": { sources: clusterApi },
    "e2e/cluster-api-move": { sources: clusterApi },
    "e2e/cluster-api-nodes": { sources: clusterApi },
    "e2e/cluster-api-objects": { sources: clusterApi },
    "e2e/cluster-api-pivot": { sources: clusterApi },
    "e2e/cluster-api-rolls": { sources: clusterApi },
    "e2e/cluster-api-self": { sources: clusterApi },
    "e2e/dead": { sources: [...membership, "components/args/heal-args.ts"] },
    "e2e/debian-13": { sources: ["provider/node", "lab/scripts", "lab/images.ts", "provider/common/bundle.ts"] },
    "e2e/drift": {
        sources: [
            "provider/steps",
            "provider/node",
            "provider/network",
            "provider/endpoint",
            "provider/kubeadm",
            "provider/member/join",
        ],
    },
    "e2e/etcd-backup": { sources: etcd },
    "e2e/etcd-minor": { sources: [...etcd, "provider/kubernetes"] },
    "e2e/etcd-new-machines": { sources: etcd },
    "e2e/etcd-restore": { sources: etcd },
    "e2e/etcd-restore-again": { sources: etcd },
    "e2e/etcd-s3": { sources: etcd },
    "e2e/etcd-space": { sources: etcd },
    "e2e/faults": { sources: [...membership, "provider/steps", "provider/ssh"] },
    "e2e/field": {
        sources: ["provider/node", "provider/ssh", "provider/steps", "provider/kubeadm", "provider/member"],
    },
    "e2e/foreign": { sources: [...membership, "provider/node"] },
    "e2e/forgotten": { sources: membership },
    "e2e/heal": { sources: [...membership, "provider/health", "components/args/heal-args.ts"] },
    "e2e/hooks": { sources: hooks },
    "e2e/inputs": { sources: ["components", "provider"] },
    "e2e/kinds": { sources: ["components/cnf", "tools/go/pulumi-resource-kubernetes"] },
    "e2e/life-of-one": { sources: ["components", "provider"], inTurn: "cluster" },
    "e2e/life-of-three": { sources: ["components", "provider"], inTurn: "cluster" },
    "e2e/life-on-debian-13": { sources: ["provider/node", "lab/scripts", "lab/images.ts"] },
    "e2e/lost-majority": { sources: [...etcd, "provider/kubeadm"] },
    "e2e/os-upgrade": {
        sources: [
            ...requests,
            ...["provider/node", "provider/procedures/os", "provider/procedures/node-by-node"],
            ...["provider/procedures/container-runtime", "components/args/os-args.ts"],
        ],
    },
    "e2e/other-minors": {
        sources: ["provider/kubernetes", "provider/kubeadm", "provider/member", "tools/versions.ts"],
    },
    "e2e/own-kernel": { sources: ["provider/node", "provider/member", "lab/machine.ts", "lab/scripts"] },
    "e2e/pipeline": { sources: ["pipeline", "tools/check"] },
    "e2e/pipeline-image": { sources: ["pipeline", "tools/pipeline-image.ts", "tools/oci", "examples/pipelines"] },
    "e2e/rotate-authorities": { sources: rotation },
    "e2e/rotate-keys": { sources: rotation },
    "e2e/rotate-tokens": { sources: rotation },
    "e2e/runtime": { sources: ["provider/node", "tools/bundle.ts", "tools/go-groups.ts"] },
    "e2e/scale": { sources: [...membership, "provider/endpoint"] },
    "e2e/sequences": { sources: [...membership, "provider/steps"] },
    "e2e/storage": { sources: storage },
    "e2e/tenant": { sources: [...vim, "provider/admission", "provider/node", "provider/storage"] },
    "e2e/tools/bundle": { sources: ["tools"] },
    "e2e/upgrade": { sources: upgrade },
    "e2e/upgrade-apt": { sources: upgrade },
    "e2e/upgrade-chain": { sources: upgrade },
    "e2e/upgrade-minor": { sources: upgrade },

    "openstack/cloud-login": { sources: ["provider/openstack", "provider/cluster-api", "components/cluster-api"] },
    "openstack/cloud-provider": {
        sources: ["provider/cloud-provider", "provider/snapshots", "components/args/cloud-provider-args.ts"],
    },
    "openstack/cluster-api": { sources: clusterApi },
    "openstack/debian-13": { sources: ["lab/openstack"] },
    "openstack/heat-masters": { sources: cloud },
    "openstack/hooks-on-cloud": {
        sources: ["provider/operation/hooks", "provider/cluster/hooks", "components/infrastructure/openstack"],
    },
    "openstack/killed-cloud": { sources: cloud },
    "openstack/nova-killed": { sources: cloud },
    "openstack/own-template": { sources: cloud },
    "openstack/replace-control-plane": { sources: servers },
    "openstack/replace-servers": { sources: servers },
    "openstack/rotate-login": { sources: serverKeys },
    "openstack/rotate-on-heat": { sources: [...serverKeys, ...storage] },
    "openstack/rotation": { sources: cloud },
    "openstack/stock-image": { sources: [...cloud, "provider/node"] },
    "openstack/storage": { sources: storage },
    "openstack/storage-heat": { sources: storage },
    "openstack/storage-power": { sources: storage },
    "openstack/storage-server": { sources: [...storage, ...cloud] },
    "openstack/switch": { sources: cloud },
    "openstack/upgrade-by-servers": { sources: servers },
    "openstack/workload-template": { sources: clusterApi },
};

const longest = (names: string[]) => names.sort((a, b) => b.length - a.length)[0];

/** The story of a test file, a path below test/ with or without `.js`, `.ts`: its own row, else that of the nearest folder. */
export function storyOf(file: string, table: Readonly<Record<string, Story>> = stories): string | undefined {
    const name = file.replace(/(\.full)?\.test\.[jt]s$/, "");
    return longest(Object.keys(table).filter(row => name === row || name.startsWith(`${row}/`)));
}
