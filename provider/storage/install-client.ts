import type { HostSpec } from "../common/model";
import { installErrors } from "../shell/exit-codes";
import { sh } from "../shell/script";
import { script } from "../shell/script-file";
import { step } from "../steps/step";

/** kubelet mounts NFS volumes with the distribution's mount.nfs. Only in a cluster with storage. */
export const installNfsClient = step<HostSpec>({
    id: "host.nfs-client",
    title: "install the NFS client",
    otherTitles: ["check the NFS client"],
})(({ nfsClient, source }) => {
    if (!nfsClient) return undefined;
    const common = { revision: 1, probe: sh`[ -x /sbin/mount.nfs ]` };
    return source.image
        ? {
              ...common,
              title: "check the NFS client",
              run: sh`echo "the image has no /sbin/mount.nfs: put nfs-common (Debian) or nfs-utils (dnf) into it" >&2; exit 1`,
              timeoutSeconds: 60,
          }
        : {
              ...common,
              env: { APT_PACKAGES: "nfs-common", DNF_PACKAGES: "nfs-utils" },
              run: script("shell/install-packages.sh"),
              timeoutSeconds: 600,
              retries: { times: 2, delaySeconds: 10, onExitCodes: [100] },
              errors: installErrors,
          };
});
