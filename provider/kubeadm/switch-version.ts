import type { NodeSpec } from "../model";
import { errorsFor, exitCodes } from "../shell/exit-codes";
import { versionFolder } from "../shell/folders";
import { sh, usualPath } from "../shell/script";
import type { StepFactory } from "../steps/types";
import { memberFile } from "./paths";

/**
 * Makes the node use the staged version, by links in /usr/local/bin. If Kubernetes came with the image or by packages,
 * it only verifies the version.
 */
export const switchVersion: StepFactory<NodeSpec> = spec => ({
    id: "node.kubernetes-version",
    title: "switch to the Kubernetes version",
    revision: 1,
    env: { VERSION: spec.kubernetesVersion },
    run: sh`
        ${usualPath}
        seen=
        [ ! -s ${memberFile} ] || seen=$(kubelet --version 2>/dev/null || true)
        if [ -n "$seen" ] && [ "$seen" != "Kubernetes v$VERSION" ]; then
            echo "upgrades are not there yet: this member has $seen, v$VERSION is asked for; nothing was touched" >&2
            exit ${exitCodes.VERSION_MISMATCH}
        fi
        staged=${versionFolder("$VERSION")}
        if [ -x "$staged/kubeadm" ]; then
            for program in "$staged"/*; do
                name=\${program##*/}
                # a file of somebody else's stays; the cluster would run, but not as we think
                if [ -e "/usr/local/bin/$name" ] && [ ! -L "/usr/local/bin/$name" ]; then
                    case $name in
                        kube*)
                            echo "/usr/local/bin/$name is in the way: not a link of ours" >&2
                            exit ${exitCodes.VERSION_MISMATCH} ;;
                        *) continue ;;
                    esac
                fi
                ln -sfn "$program" "/usr/local/bin/.$name.new"
                mv -T "/usr/local/bin/.$name.new" "/usr/local/bin/$name"
            done
        fi
        seen=$(kubelet --version)
        if [ "$seen" != "Kubernetes v$VERSION" ]; then
            echo "wanted v$VERSION, but kubelet says: $seen" >&2
            exit ${exitCodes.VERSION_MISMATCH}
        fi
    `,
    errors: errorsFor("VERSION_MISMATCH"),
    timeoutSeconds: 60,
});
