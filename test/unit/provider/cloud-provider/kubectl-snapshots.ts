/** What kubectl says of the snapshots of a cluster, for runWithKubectl. */

export const driver = "cinder.csi.openstack.org";

export const kindOf = (plural: string) =>
    `customresourcedefinition.apiextensions.k8s.io/${plural}.snapshot.storage.k8s.io\n`;

export const snapshotKinds = {
    when: /get customresourcedefinitions/,
    stdout: kindOf("volumesnapshotcontents") + kindOf("volumesnapshots"),
};

/** Of VolumeSnapshotContents; a line is NAME|DRIVER|SNAPSHOT. */
export const contents = (...lines: string[]) => ({
    when: /get volumesnapshotcontents/,
    stdout: `${lines.join("\n")}\n`,
});

export const nightly = contents(`c-1|${driver}|shop/nightly`, "c-2|nfs.csi.k8s.io|shop/other");
