import { kubeadmScript } from "../kubeadm/kubeadm-script";
import { type DataMember, type MemberAnswer, parseAnswers, parseSurvey, type Survey } from "../kubeadm/lost-majority";
import { errorsFor } from "../shell/exit-codes";
import type { Connection } from "../ssh/types";
import type { Act } from "../steps";
import { query } from "../steps/query";

const surveyScript = kubeadmScript("etcd/print-etcd-survey.sh");
const answersScript = kubeadmScript("etcd/print-etcd-answers.sh");

/** What the survivor's etcd says. Changes nothing. */
export async function lookAtSurvivor(survivor: Connection, node: string): Promise<Survey> {
    const step = "look at what etcd has left";
    return parseSurvey(await query(survivor, { step, script: surveyScript, timeoutSeconds: 90, node }));
}

/** How these members answer the survivor, by their peer URL. Changes nothing. */
export async function askMembers(
    survivor: Connection,
    node: string,
    members: readonly DataMember[],
): Promise<Record<string, MemberAnswer>> {
    if (members.length === 0) return {};
    const MEMBERS = members.map(({ peerUrl, clientUrl }) => `${peerUrl} ${clientUrl}`).join("\n");
    const step = "ask the other members of etcd";
    return parseAnswers(
        await query(survivor, { step, script: answersScript, env: { MEMBERS }, timeoutSeconds: 180, node }),
    );
}

export interface Survivor {
    name: string;
    address: string;
    /** URLs of members that were found lost, and names that the user gave up. The data must have no other member. */
    givenUp: readonly string[];
    /** Names of lost masters: the cluster must notice that their kubelets do not report. */
    lostNodes: readonly string[];
}

export const forceNewCluster = ({ name, address, givenUp, lostNodes }: Survivor): Act => ({
    id: "etcd.new-cluster",
    title: "make etcd a cluster of one member",
    target: "self",
    run: kubeadmScript("etcd/force-new-cluster.sh"),
    env: { NAME: name, ADDRESS: address, GIVEN_UP: givenUp.join("\n"), LOST_NODES: lostNodes.join("\n") },
    timeoutSeconds: 3600,
    errors: errorsFor("QUORUM_AT_RISK"),
    disruptive: "etcd and the API server stop",
});
