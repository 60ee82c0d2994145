import type * as pulumi from "@pulumi/pulumi";
import { didYouMean } from "../../../provider/common/did-you-mean";
import type { SnapshotClassArgs, SnapshotControllerArgs } from "../../args/snapshot-args";
import type { NfsCsiArgs, NfsStorageClassArgs } from "../../args/storage-args";
import type { PlainArgs } from "../../common/plain-args";
import type { Problem, Rule } from "../rule";
import { choice, oneDefault } from "../server-rules";
import { dnsSubdomain, dnsSubdomainRule, isServerName, plainPath } from "./storage-names";

type Classes = Record<string, pulumi.Unwrap<NfsStorageClassArgs>>;

const mountOption = /^[a-z0-9_]+(=[A-Za-z0-9_.:-]+)?$/;

/** `served`: what is wrong with an export. */
function classProblems(place: string, classes: Classes, served: (path: string) => string | undefined): Problem[] {
    const problems = Object.entries(classes).flatMap(([name, given]): Problem[] => {
        const at = `${place}.${name}`;
        const what = plainPath.test(given.export) ? served(given.export) : "must be a path such as /exports/data";
        return [
            ...(dnsSubdomain.test(name) ? [] : [[at, dnsSubdomainRule] as Problem]),
            ...(what === undefined ? [] : [[`${at}.export`, what] as Problem]),
            ...choice(`${at}.reclaimPolicy`, given.reclaimPolicy, ["Delete", "Retain"]),
            ...choice(`${at}.onDelete`, given.onDelete, ["archive", "delete", "retain"]),
            ...(given.reclaimPolicy === "Retain" && given.onDelete !== undefined
                ? [[`${at}.onDelete`, "has no meaning with reclaimPolicy Retain: the volume is not deleted"] as Problem]
                : []),
            ...(given.mode === undefined || /^0[0-7]{3}$/.test(given.mode)
                ? []
                : [[`${at}.mode`, `"${given.mode}" is no mode: write it like "0777"`] as Problem]),
            ...(given.mountOptions ?? [])
                .filter(each => each !== undefined && !mountOption.test(each))
                .map((each): Problem => [`${at}.mountOptions`, `"${each}" is no option of mount: one for each entry`]),
        ];
    });
    return [...problems, ...oneDefault(place, classes)];
}

type SnapshotClasses = Record<string, pulumi.Unwrap<SnapshotClassArgs>>;

/** Classes of snapshots of one driver. */
export function snapshotClassProblems(place: string, classes: SnapshotClasses = {}): Problem[] {
    return [
        ...Object.entries(classes).flatMap(([name, { deletionPolicy }]): Problem[] => [
            ...(dnsSubdomain.test(name) ? [] : [[`${place}.${name}`, dnsSubdomainRule] as Problem]),
            ...choice(`${place}.${name}.deletionPolicy`, deletionPolicy, ["Delete", "Retain"]),
        ]),
        ...oneDefault(place, classes),
    ];
}

function unusedController(controller: SnapshotControllerArgs | undefined, ...given: (object | undefined)[]): Problem[] {
    if (controller === undefined || given.some(classes => Object.keys(classes ?? {}).length > 0)) return [];
    return [["snapshotController", "is for snapshot classes: without them it is not installed"]];
}

/** Rules of the snapshot classes of a cluster. */
export const clusterSnapshotRules: Rule<PlainArgs> = ({ storage, cloudProvider, snapshotController }) => {
    const place = "storage.snapshotClasses";
    const nfs = storage?.snapshotClasses ?? {};
    const cinder = cloudProvider?.cinderCsi;
    const ofCinder = (cinder?.enabled !== false && cinder?.snapshotClasses) || {};
    const isOff = cinder?.enabled === false && cinder.snapshotClasses !== undefined;
    const hasDriver = Object.keys(storage?.storageClasses ?? {}).length > 0;
    return [
        ...snapshotClassProblems(place, nfs),
        ...(Object.keys(nfs).length > 0 && !hasDriver
            ? [[place, "is for claims of storageClasses: without them no driver is installed"] as Problem]
            : []),
        ...snapshotClassProblems("cloudProvider.cinderCsi.snapshotClasses", cinder?.snapshotClasses),
        ...Object.keys(nfs)
            .filter(name => name in ofCinder)
            .map((name): Problem => [`${place}.${name}`, "is a snapshot class of cloudProvider.cinderCsi, too"]),
        ...unusedController(snapshotController, nfs, ofCinder).map(
            ([at, what]): Problem => [at, isOff ? `${what}, and cloudProvider.cinderCsi is switched off` : what],
        ),
    ];
};

interface CheckedClasses {
    classes: Classes;
    server?: string;
    nfsCsi?: NfsCsiArgs;
    timeoutSeconds?: number;
    snapshotClasses?: SnapshotClasses;
    snapshotController?: SnapshotControllerArgs;
}

/** Rules of StorageClasses of their own. */
export const storageClassesRules: Rule<CheckedClasses>[] = [
    ({ classes }) => classProblems("classes", classes, () => undefined),
    ({ server }) =>
        server === undefined || isServerName(server)
            ? []
            : [["server", `"${server}" is no address and no name of an NFS server`]],
    ({ classes }) => (Object.keys(classes).length === 0 ? [["classes", "name at least one"]] : []),
    ({ snapshotClasses }) => snapshotClassProblems("snapshotClasses", snapshotClasses),
    ({ snapshotClasses, snapshotController }) => unusedController(snapshotController, snapshotClasses),
    ({ timeoutSeconds = 1 }) => (timeoutSeconds > 0 ? [] : [["timeoutSeconds", "must be greater than 0"]]),
];

/** Names and the default of Cinder's classes. Without `storageClasses` there is one, `cinder`, which is the default. */
function cinderClasses({ cloudProvider }: PlainArgs): { names: string[]; hasDefault: boolean } {
    const cinder = cloudProvider?.cinderCsi;
    if (cinder === undefined || cinder.enabled === false) return { names: [], hasDefault: false };
    const classes = cinder.storageClasses ?? { cinder: { isDefault: true } };
    return { names: Object.keys(classes), hasDefault: Object.values(classes).some(each => each.isDefault) };
}

/** Rules of the storage classes of a cluster's storage. */
export const clusterStorageClassRules: Rule<PlainArgs> = args => {
    const { storage } = args;
    if (storage?.nfsCsi && Object.keys(storage.storageClasses ?? {}).length === 0) {
        return [["storage.nfsCsi", "is for storageClasses: without them no driver is installed"]];
    }
    if (!storage?.storageClasses) return [];
    const place = "storage.storageClasses";
    const { storageClasses: classes, exports = {}, server } = storage;
    const known = Object.keys(exports);
    const served = (path: string) => {
        const found = exports[path];
        if (found === undefined) return `${path} is no export of this storage${didYouMean(path, known)}`;
        return found.readOnly ? `${path} is readOnly: no claim could get a folder there` : undefined;
    };
    const { names, hasDefault } = cinderClasses(args);
    const twoDefaults = hasDefault && Object.values(classes).some(({ isDefault }) => isDefault);
    return [
        ...(server === undefined ? [["storage.server", "is required with storageClasses"] as Problem] : []),
        ...classProblems(place, classes, served),
        ...Object.keys(classes)
            .filter(name => names.includes(name))
            .map((name): Problem => [`${place}.${name}`, "is a storage class of cloudProvider.cinderCsi, too"]),
        ...(twoDefaults
            ? [[place, "only one class can be the default: one of cloudProvider.cinderCsi is"] as Problem]
            : []),
    ];
};
