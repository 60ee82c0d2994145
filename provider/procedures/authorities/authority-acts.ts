import { kubeadmScript } from "../../kubeadm/kubeadm-script";
import { errorsFor } from "../../shell/exit-codes";
import { step } from "../../steps/step";
import type { KnownStep } from "../../steps/types";
import type { RotatedKey, RotationState } from "../rotation-state";
import type { Stage } from "../stages";
import { publishAuthority } from "./publish-authority";

/**
 * The rotation of the authorities: what is done in which order. Each new authority has a bridge, its certificate signed by the former one. So certificates of the
 * new authorities, with their bridges, are taken by those who trust the former ones and by those who trust the new ones: at no moment does a machine need to trust
 * both, and files of authorities never have more than one certificate, which controller manager and kubeadm would not read.
 */
export const authorities: RotatedKey = {
    step: "rotate the authorities",
    input: "rotate.authorities",
    notOurs: {
        cause: "its servers use other authorities than kubeadm's, or keys of authorities are not on this machine",
        hint: "Authorities of your own are yours to rotate: take rotate.authorities out of the program.",
    },
};

/** How it is asked. Fake nodes in tests recognise it. */
export const authoritiesStateArgv: readonly string[] = ["sh", "-s", "pulumi-nfv-authorities"];
export const authoritiesStateScript = kubeadmScript("procedures/authorities/print-authorities-state.sh");

/** A control-plane node trusts the new authorities: from then on the rotation can only go on. */
export function hasBegunToTrust(states: readonly RotationState[], name: string): boolean {
    return states.some(({ keys }) => keys.includes(name));
}

/** issue: all certificates come from the new authorities. trust: the former ones are no longer trusted. */
export type AuthorityStage = "issue" | "trust";

export interface AuthorityStageSpec {
    role: "controlPlane" | "worker";
    /** Where a control-plane node's API server listens. */
    address: string;
    /** Members of etcd that need not be healthy, by name or by their URL for other members. */
    away: readonly string[];
    name: string;
    /** Secret: files of the new authorities, a line "PATH BASE64" for each. */
    authorities: string;
    /** Secret: kubelet's client certificate, its bridge and its key. */
    kubelet: string;
}

const disrupting = {
    controlPlane: {
        disruptive: "etcd, API server, controller manager and scheduler of this machine restart, one after another",
        api: "restarts",
    },
    worker: { disruptive: "kubelet restarts; pods go on" },
} as const;

const stageSteps = {
    controlPlane: {
        issue: {
            id: "node.certificates-of-new-authorities",
            title: "get certificates of the new authorities",
            run: kubeadmScript("procedures/authorities/issue-certificates.sh"),
        },
        trust: {
            id: "node.trust-new-authorities",
            title: "trust the new authorities alone",
            run: kubeadmScript("procedures/authorities/trust-authorities.sh"),
        },
    },
    worker: {
        issue: {
            id: "node.certificate-of-new-authority",
            title: "get kubelet's certificate of the new authority",
            run: kubeadmScript("procedures/authorities/issue-worker-certificate.sh"),
        },
        trust: {
            id: "node.trust-new-authority",
            title: "trust the new authority alone",
            run: kubeadmScript("procedures/authorities/trust-authority-on-worker.sh"),
        },
    },
} as const;

function stageStep(of: AuthorityStageSpec["role"], stage: AuthorityStage): KnownStep<AuthorityStageSpec> {
    const { run, ...row } = stageSteps[of][stage];
    return step<AuthorityStageSpec>({ ...row, ...disrupting[of] })(spec => {
        const { role, address, away, name, authorities: files, kubelet } = spec;
        const isMaster = role === "controlPlane";
        if (role !== of) return undefined;
        return {
            run,
            revision: 1,
            env: {
                ...{ ADDRESS: address, ROLE: role, RENEW_BEFORE: "0" },
                ...(isMaster && { AWAY: away.join(" ") }),
                ...(stage === "issue" && { CA_NAME: name }),
            },
            secrets: { authorities: files, ...(stage === "issue" && { kubelet }) },
            observe: { unseen: "a part of a rotation, which is over when the run is" },
            // four static pods, each 90 s for the end of the former process and 240 s until it works; then the API server
            timeoutSeconds: isMaster ? 1800 : 300,
            errors: errorsFor("QUORUM_AT_RISK", "ROTATION_FAILED"),
        };
    });
}

/** By stage: a step for each role. */
const steps = {
    issue: [stageStep("controlPlane", "issue"), stageStep("worker", "issue")],
    trust: [stageStep("controlPlane", "trust"), stageStep("worker", "trust")],
};

export const authorityRotationSteps: KnownStep<AuthorityStageSpec>[] = [...steps.issue, ...steps.trust];

const trust: Stage<AuthorityStageSpec> = { each: steps.trust, toleratesUnreachable: true };

/** `hasBegun`: a node trusts the new authorities already, so the others follow, and workers that are away come later. */
export const authorityStages = (hasBegun: boolean): Stage<AuthorityStageSpec>[] => [
    { each: steps.issue, toleratesUnreachable: hasBegun },
    trust,
    { once: publishAuthority },
];

/** A node gets kubelet's certificate before it trusts the new authorities alone. */
export const isIssue = (stage: Stage<AuthorityStageSpec>): boolean => "each" in stage && stage.each === steps.issue;
