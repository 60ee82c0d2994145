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

/** Folders of provider/. Each may also import the modules of `smallThings`, below, and the files of a fourth column. */
const providerFolders = table([
    [
        "resources",
        [
            ...["operation-hooks", "lifecycle", "health"],
            ...["admission", "node", "kubeadm", "network", "endpoint", "cloud-provider", "cluster-api", "nfs-csi", "snapshots", "etcd", "storage", "images", "openstack", "vim", "receiver", "identity"],
            ...["steps", "ssh", "shell"],
        ],
        "one file per resource type; puts the rest together",
    ],
    [
        "operation-hooks",
        ["lifecycle", "steps", "ssh", "shell", "vim"],
        "what users let run before and after an operation; lifecycle: what an operation is; steps: secrets leave its output",
    ],
    [
        "lifecycle",
        ["node", "etcd", "kubeadm", "network", "endpoint", "cloud-provider", "storage", "identity", "steps", "ssh", "shell"],
        "lists of steps over several concerns, and what undoes them",
    ],
    [
        "etcd",
        ["kubeadm", "storage", "steps", "ssh", "shell"],
        "kubeadm: where etcd's files are, and its programs; storage: how restic is called",
    ],
    ["health", ["kubeadm", "steps", "ssh", "shell"], "kubeadm: paths of its files on a node"],
    ["node", ["endpoint", "steps", "ssh", "shell"], "endpoint: names of former endpoints stand in files of the host"],
    [
        "kubeadm",
        ["network", "endpoint", "identity", "steps", "ssh", "shell"],
        "network: a reset deletes its routes; endpoint: a master notes former endpoints; identity: hash of an authority",
    ],
    [
        "admission",
        ["endpoint", "nfs-csi", "shell", "vim"],
        "endpoint: Services must not take a former virtual address either; nfs-csi: its driver makes volumes; vim: the type of an object, Pod Security's levels",
    ],
    ["network", ["steps", "ssh", "shell"], "stands alone"],
    ["endpoint", ["steps", "ssh", "shell"], "stands alone"],
    [
        "cloud-provider",
        ["snapshots", "steps", "ssh", "shell", "vim"],
        "vim: the annotation with which other objects of this package name their owner; snapshots: image and rights of the driver's snapshotter",
    ],
    ["cluster-api", ["vim", "identity"], "vim: the type of an object; identity: certificates of webhooks"],
    ["nfs-csi", ["snapshots", "vim"], "vim: the type of an object; snapshots: image and rights of the driver's snapshotter"],
    ["snapshots", ["vim"], "vim: the type of an object"],
    ["storage", ["steps", "ssh", "shell"], "stands alone"],
    ["images", ["steps"], "steps: progress is told as theirs"],
    ["openstack", [], "a client; knows no Kubernetes"],
    ["vim", [], "a client; knows no OpenStack and no machine"],
    ["receiver", [], "a client of a server of the user's; knows nothing of what it sends"],
    ["identity", [], "keys and certificates; no I/O"],
    ["steps", ["ssh", "shell"], "runs steps on a machine; knows no Kubernetes"],
    ["ssh", ["shell"], "connections; knows no steps"],
    ["kubernetes", [], "what is known of its versions: a table, and what follows from it"],
    ["shell", [], "how scripts are written"],
    ["unknown", [], "what is not known at preview; in a program, its session keeps the outputs", ["^provider/hooks[.]ts$"]],
]);

/** Files of provider/ itself that all its folders may import. They may import only each other. */
const smallThings =
    "^provider/(add-on-objects|bundle|cidr|did-you-mean|edit-distance|error-table|errors|expiry|given-file|grace|http-answer|kubernetes/releases|kubernetes/support|model|plain-text|process-start|proxy|python-yaml|run-session|system-authorities|to-yaml|unknown/unknown-value)[.]ts$";

/** Folders within other areas: which neighbours they may import. A folder and the files beside it may import each other. */
const neighbours = [
    [
        "components",
        table([
            ["kubernetes-cluster", ["infrastructure", "storage", "preview"], "the parts of a cluster, and how they are put together"],
            ["cluster-api", ["validation", "infrastructure"], "objects of Cluster API, from inputs; knows no cluster of ours; infrastructure: the cloud's Keystone"],
            ["cnf", ["validation", "preview"], "the same words for a missing key; what a preview tells of secrets"],
            ["validation", ["infrastructure", "storage"], "rules of servers and networks lie with these"],
            ["storage", ["infrastructure", "preview"], "what a storage server gets, and the cloud that makes one; knows no cluster"],
            ["infrastructure", ["preview"], "machines, however they come about; knows no cluster"],
            ["preview", [], "placeholders and planned steps"],
            ["schema", [], "made from the sources of the others, read as text"],
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
        ...rulesOf(providerFolders, "provider/", [smallThings]),
        ...neighbours.flatMap(([area, rows]) => rulesOf(rows, `${area}/`, [`^${area}/[^/]+$`])),
        {
            name: "small things",
            comment: "what all folders of provider/ may use must not use these",
            severity: "error",
            from: { path: smallThings },
            to: { path: "^provider/", pathNot: smallThings },
        },
        {
            name: "no Pulumi",
            comment: "what acts on machines and APIs is plain TypeScript; adapters hand it over to Pulumi",
            severity: "error",
            from: { path: "^(provider|lab|tools|testing)/", pathNot: "^provider/(dynamic|hooks|own-state|pack|progress|unknown/(later|or-placeholder))[.]ts$" },
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
