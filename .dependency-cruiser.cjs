// The allowed imports between folders, of types too. `npm run lint` and the level `lint` of `npm test` enforce them.
// A row may name only rows below it, so imports between folders cannot form a cycle.
const { join } = require("node:path");

/** Top folders. Each may also import itself and npm packages. */
const areas = table([
    ["test", ["bench", "dev", "lab", "pipeline", "tools", "testing", "components", "provider"], "tests may use everything"],
    [
        "bench",
        ["dev", "lab", "pipeline", "tools", "testing", "components", "provider"],
        "measures what users get, on machines of the lab",
    ],
    ["dev", ["lab", "tools", "components", "provider"], "npm start, npm run destroy, npm test"],
    ["pipeline", ["tools", "components", "provider"], "runs programs of users by Pulumi's Automation API; the command line nfv"],
    ["lab", ["tools"], "machines and a cloud; it must also work where the product does not"],
    ["tools", ["provider"], "makes bundles: their manifest and the errors are the provider's"],
    ["testing", ["provider"], "fakes answer the protocols of the provider; no Pulumi"],
    ["examples", [], "import the package by its name, as users do"],
    ["components", ["provider"], "what users write; the provider acts for it"],
    ["provider", [], "nothing of ours lies below it"],
]);

/** Folders of provider/. Each may also import `common/`. */
const providerFolders = table([
    ["adapters", ["cluster", "cluster-api", "cloud", "cloud-provider", "cnf", "etcd", "host", "procedures", "member", "nfs-csi", "snapshots", "storage", "machine", "operation", "vim", "contract", "steps", "ssh"], "the code through which Pulumi calls each resource; descriptors.ts is the table of them all"],
    ["cluster", ["cloud", "cloud-provider", "cnf", "etcd", "host", "images", "procedures", "admission", "member", "network", "storage", "objects", "kubernetes", "machine", "health", "operation", "kubeadm", "vim", "contract", "endpoint", "identity", "steps", "ssh"], "OperationStart and OperationEnd, and what belongs to the whole cluster"],
    ["cluster-api", ["receiver", "kubernetes", "vim", "contract", "identity", "steps"], "objects of Cluster API in a management cluster; identity: certificates of webhooks"],
    ["cloud", ["member", "machine", "operation", "kubeadm", "openstack", "contract", "steps", "ssh"], "servers that are made, lost, replaced; member: a node leaves before its server"],
    ["cloud-provider", ["network", "snapshots", "objects", "kubernetes", "machine", "vim", "contract", "steps", "shell"], "OpenStack's own parts in the cluster; snapshots: image and rights of the driver's snapshotter"],
    ["cnf", ["vim", "contract"], "objects of network functions"],
    ["host", ["member", "storage", "node", "machine", "health", "operation", "kubeadm", "contract", "endpoint", "steps", "ssh", "shell"], "a machine is made into a Kubernetes host, and given back; member: its node leaves first"],
    ["images", ["steps"], "steps: progress is told as theirs"],
    ["procedures", ["network", "etcd", "admission", "member", "storage", "node", "machine", "operation", "kubeadm", "openstack", "vim", "contract", "endpoint", "identity", "steps", "ssh", "shell"], "one folder per request of day 2"],
    ["etcd", ["network", "storage", "machine", "operation", "kubeadm", "contract", "steps", "ssh", "shell"], "snapshots and restore; storage: how restic is called"],
    ["receiver", [], "a client of a server of the user's; knows nothing of what it sends"],
    ["admission", ["nfs-csi", "vim", "endpoint", "shell"], "endpoint: Services must not take a former virtual address; nfs-csi: its driver makes volumes"],
    ["member", ["network", "node", "kubernetes", "machine", "health", "operation", "kubeadm", "openstack", "contract", "endpoint", "steps", "ssh", "shell"], "Node: join, leave, upgrade; network: a reset deletes its routes"],
    ["network", ["shell"], "stands alone"],
    ["nfs-csi", ["snapshots", "storage", "objects", "machine", "vim", "contract"], "snapshots: image and rights of the driver's snapshotter; storage: who uses a volume"],
    ["snapshots", ["storage", "objects", "machine", "vim", "contract"], "storage: who uses a volume"],
    ["storage", ["node", "objects", "machine", "operation", "kubeadm", "vim", "contract", "steps", "ssh", "shell"], "the storage server and its volumes; node: cloud-init ends first"],
    ["node", ["kubernetes", "endpoint", "steps", "ssh", "shell"], "steps of a host; endpoint: names of former endpoints stand in its files"],
    ["objects", ["machine", "operation", "vim", "contract", "steps", "ssh"], "objects in the cluster: applied, owned, awaited, removed"],
    ["kubernetes", [], "what is known of its versions: a table, and what follows from it"],
    ["machine", ["health", "operation", "kubeadm", "openstack", "contract", "steps", "ssh", "shell"], "how one machine is reached and looked at"],
    ["health", ["kubeadm", "steps", "ssh", "shell"], "findings on a machine, and their cures"],
    ["operation", ["openstack", "vim", "contract", "steps", "ssh", "shell"], "what an operation is; hooks/: what users let run around it"],
    ["kubeadm", ["endpoint", "identity", "steps", "ssh", "shell"], "a node's files, and what they say"],
    ["openstack", [], "a client; knows no Kubernetes"],
    ["vim", ["contract", "identity"], "access to a cluster"],
    ["contract", ["steps"], "what all resource types share"],
    ["endpoint", ["steps", "shell"], "steps of HAProxy and keepalived"],
    ["identity", [], "keys and certificates; no I/O"],
    ["steps", ["ssh", "shell"], "runs steps on a machine; knows no Kubernetes"],
    ["ssh", ["shell"], "connections; knows no steps"],
    ["shell", [], "how scripts are written"],
    ["common", [], "small modules without I/O of their own, but for files and variables of the process"],
]);

/** Folders within other areas: which neighbours they may import. A folder and the files beside it may import each other. */
const neighbours = [
    [
        "components",
        table([
            ["kubernetes-cluster", ["cnf", "storage", "vim", "validation", "infrastructure", "preview", "common", "args"], "the parts of a cluster, and how they are put together"],
            ["cluster-api", ["cnf", "vim", "validation", "infrastructure", "common", "args"], "objects of Cluster API, from inputs; knows no cluster of ours; infrastructure: the cloud's Keystone"],
            ["storage", ["cnf", "vim", "validation", "infrastructure", "preview", "common", "args"], "storage servers, volumes, classes, of their own or of a cluster; cnf: reads manifests"],
            ["cnf", ["vim", "validation", "preview", "common", "args"], "network functions; what a preview tells of secrets"],
            ["vim", ["validation", "common", "args"], "access to a cluster"],
            ["validation", ["infrastructure", "common", "args"], "rules of inputs; those of servers and networks lie with these"],
            ["infrastructure", ["preview", "common", "args"], "machines, however they come about; knows no cluster"],
            ["preview", ["common", "args"], "placeholders and planned steps"],
            ["common", ["args"], "small things that all components use"],
            ["args", [], "what users write, with units and defaults: schema.json is made of it; files: components as values of inputs, types only", ["^components/(vim/vim|cluster-api/management-cluster)[.]ts$"]],
            ["schema", [], "made from args, read as text"],
        ]),
    ],
    [
        "components/infrastructure",
        table([
            ["hosts", [], "machines that exist"],
            ["openstack", [], "the only folder that knows Heat and Nova"],
        ]),
    ],
    [
        "components/infrastructure/openstack",
        table([
            ["heat", ["plan", "hot"], "one stack"],
            ["nova", ["resources", "plan"], "all of a cluster as single resources"],
            ["resources", ["plan"], "single resources of the cloud, for every back end"],
            ["plan", [], "decided without asking the cloud"],
            ["hot", [], "templates of users"],
        ]),
    ],
    [
        "pipeline",
        table([
            ["commands", ["operations", "page", "report", "outlook", "timeline", "events", "plan", "stack"], "the command line nfv: its words, its options, the files that it writes"],
            ["operations", ["report", "outlook", "timeline", "events", "plan", "stack"], "a stack's operations, from the first preview to the end of the run"],
            ["page", ["report", "outlook", "timeline", "events", "plan"], "the page of a run"],
            ["report", ["outlook", "timeline", "events", "plan", "stack"], "a run in texts that pipelines read"],
            ["outlook", ["timeline", "plan"], "how long a plan usually takes"],
            ["timeline", ["events", "plan"], "what ran when, and what waited"],
            ["events", ["plan"], "what the engine says, as lines without secrets"],
            ["plan", ["stack"], "what a run will do, and why it must not; stack: how a setting is written"],
            ["stack", [], "a stack's file, lock and program"],
        ]),
    ],
    [
        "lab",
        table([
            ["openstack", [], "a cloud on nodes of the lab"],
            ["cluster-api", [], "nodes of the lab as machines of Cluster API"],
        ]),
    ],
    [
        "tools",
        table([
            ["check", [], "looks at a stack's machines; only nfv uses it"],
            ["oci", ["cluster-api"], "images of containers, and manifests of add-ons"],
            ["cluster-api", [], "components of Cluster API's providers"],
            ["sources", [], "where files come from"],
        ]),
    ],
];

function table(rows) {
    rows.forEach(([folder, imports], i) => {
        const below = rows.slice(i + 1).map(([name]) => name);
        const wrong = imports.find(name => !below.includes(name));
        if (wrong)
            throw new Error(`.dependency-cruiser.cjs: "${folder}" may not import "${wrong}": it is no row below`);
    });
    return rows;
}

/** One rule per row, and one for folders without a row. */
function rulesOf(rows, at, alsoAllowed = []) {
    const inFolders = names => `^${at}(${names.join("|")})/`;
    const any = at === "" ? inFolders(rows.map(([name]) => name)) : `^${at}`;
    return [
        ...rows.map(([folder, imports, why, files = []]) => ({
            name: `${at}${folder}`,
            comment: `${why}; it may import: ${imports.join(", ") || "no other"}`,
            severity: "error",
            from: { path: inFolders([folder]) },
            to: { path: any, pathNot: [inFolders([folder, ...imports]), ...alsoAllowed, ...files] },
        })),
        ...(at === ""
            ? []
            : [
                  {
                      name: `${at}: folder without a row`,
                      comment: "give it a row in the table of .dependency-cruiser.cjs",
                      severity: "error",
                      from: { path: `^${at}[^/]+/`, pathNot: inFolders(rows.map(([name]) => name)) },
                      to: {},
                  },
              ]),
    ];
}

module.exports = {
    forbidden: [
        {
            name: "circle",
            comment: "files that import each other can only be understood together",
            severity: "error",
            from: {},
            to: { circular: true },
        },
        ...rulesOf(areas, ""),
        ...rulesOf(providerFolders, "provider/", ["^provider/common/"]),
        ...neighbours.flatMap(([area, rows]) => rulesOf(rows, `${area}/`, [`^${area}/[^/]+$`])),
        {
            name: "no Pulumi",
            comment: "what acts on machines and APIs is plain TypeScript; adapters hand it over to Pulumi",
            severity: "error",
            from: { path: "^(provider|lab|tools|testing)/", pathNot: "^provider/adapters/" },
            to: { path: "node_modules/@pulumi/" },
        },
        {
            name: "for developers only",
            comment: "users do not have this package: it is a devDependency",
            severity: "error",
            from: { path: "^(provider|components|testing|tools|pipeline)/", pathNot: "^components/schema/" },
            to: { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["npm", "npm-peer", "type-only"] },
        },
    ],
    options: {
        tsPreCompilationDeps: true,
        tsConfig: { fileName: join(__dirname, "tsconfig.json") },
        doNotFollow: { path: "node_modules" },
        cache: false,
    },
};
