import { installErrors } from "../shell/exit-codes";
import { script } from "../shell/script-file";
import { step } from "../steps/step";
import { type FileSystem, inOrder, type StorageSpec } from "./spec";

const serverPackages = { apt: ["nfs-kernel-server"], dnf: ["nfs-utils"] };
const fileSystemPackages: Record<FileSystem, string[]> = { ext4: ["e2fsprogs"], xfs: ["xfsprogs"] };

/** The NFS server, the tools of the file systems in use, and restic for backups, from the distribution. */
export const installServer = step<StorageSpec>({ id: "storage.server", title: "install the NFS server" })(
    ({ volumes, backups = {} }) => {
        const used = [...new Set(inOrder(volumes).map(([, { fileSystem }]) => fileSystem))].sort();
        const tools = used.flatMap(fileSystem => fileSystemPackages[fileSystem]);
        const places = inOrder(backups).map(([, { repository }]) => repository);
        const ofBackups = (ssh: string) => [
            ...(places.length > 0 ? ["restic"] : []),
            ...(places.some(({ sftp }) => sftp) ? [ssh] : []),
        ];
        return {
            revision: 1,
            env: {
                APT_PACKAGES: [...serverPackages.apt, ...tools, ...ofBackups("openssh-client")].join(" "),
                DNF_PACKAGES: [...serverPackages.dnf, ...tools, ...ofBackups("openssh-clients")].join(" "),
            },
            run: script("shell/install-packages.sh"),
            observe: { script: `${script("shell/observe-packages.sh")}\n${script("storage/observe-server.sh")}` },
            timeoutSeconds: 900,
            retries: { times: 2, delaySeconds: 10, onExitCodes: [100] },
            errors: installErrors,
        };
    },
);
