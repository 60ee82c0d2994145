import { newMachines } from "../../provider/etcd/new-machines";
import type { PlainArgs } from "../common/plain-args";
import type { Problem } from "./rule";
import { unless, word } from "./storage/backup-rules";

/** What is wrong with the rotation of keys. */
export function rotateProblems(args: PlainArgs): Problem[] {
    return [
        ...encryptionProblems(args),
        ...serviceAccountProblems(args),
        ...graceProblems(args),
        ...authorityProblems(args),
        ...loginProblems(args),
    ];
}

function encryptionProblems({ rotate, controlPlane = {}, etcdRestore }: PlainArgs): Problem[] {
    const asked = rotate?.encryptionKey;
    if (asked === undefined) return [];
    const own = ownFlag(controlPlane, "apiServer", /^(encryption-provider-|etcd-prefix$)/);
    return at("encryptionKey", [
        ...wordProblems(asked),
        ...unless(
            controlPlane.encryptionAtRest?.enabled !== false,
            "",
            "needs controlPlane.encryptionAtRest, which is turned off",
        ),
        ...unless(own === undefined, "", `cannot be used beside ${own}: these settings are yours to rotate`),
        ...onNewMachines(etcdRestore),
    ]);
}

const keyFlags = /^service-account-(key-file|signing-key-file|private-key-file|signing-endpoint)$/;

function serviceAccountProblems({ rotate, controlPlane = {}, etcdRestore }: PlainArgs): Problem[] {
    const asked = rotate?.serviceAccountKey;
    if (asked === undefined) return [];
    const own = ownFlag(controlPlane, "apiServer", keyFlags) ?? ownFlag(controlPlane, "controllerManager", keyFlags);
    return at("serviceAccountKey", [
        ...wordProblems(asked),
        ...unless(own === undefined, "", `cannot be used beside ${own}: these keys are yours to rotate`),
        ...onNewMachines(etcdRestore),
    ]);
}

function graceProblems({ rotate }: PlainArgs): Problem[] {
    const hours = rotate?.serviceAccountGraceHours;
    if (hours === undefined) return [];
    return at("serviceAccountGraceHours", [
        ...unless(rotate?.serviceAccountKey !== undefined, "", "needs rotate.serviceAccountKey"),
        ...unless(
            hours >= 2 && hours <= 8760,
            "",
            `${hours} is not allowed: from 2 to 8760 hours, because pods get another token within an hour`,
        ),
    ]);
}

const authorityFlags =
    /^(client-ca-file|etcd-cafile|requestheader-client-ca-file|root-ca-file|cluster-signing-(cert|key)-file|trusted-ca-file|peer-trusted-ca-file)$/;

const kubeletAuthority = "kubelet-certificate-authority";

/** Kubelets keep the serving certificates that the cluster's authority has signed for them. */
function servesByAuthority({ kubelet, controlPlane, pools = {} }: PlainArgs): boolean {
    const fields = [kubelet, controlPlane?.kubelet, ...Object.values(pools).map(pool => pool.kubelet)];
    const flag = controlPlane?.extraArgs?.["kubelet"]?.["rotate-server-certificates"];
    return flag === "true" || fields.some(each => each?.["serverTLSBootstrap"] === true);
}

function authorityProblems(args: PlainArgs): Problem[] {
    const { rotate, controlPlane = {}, etcdRestore } = args;
    const { authorities: asked, authoritiesGraceHours: hours } = rotate ?? {};
    if (hours !== undefined && asked === undefined)
        return at("authoritiesGraceHours", [["", "needs rotate.authorities"]]);
    if (asked === undefined) return [];
    const components = ["apiServer", "controllerManager", "etcd"] as const;
    const own = components.map(each => ownFlag(controlPlane, each, authorityFlags)).find(flag => flag !== undefined);
    return [
        ...at("authorities", [
            ...wordProblems(asked),
            ...unless(own === undefined, "", `cannot be used beside ${own}: these authorities are yours to rotate`),
            ...unless(
                !servesByAuthority(args) || controlPlane.extraArgs?.["apiServer"]?.[kubeletAuthority] === undefined,
                "",
                `cannot be used beside controlPlane.extraArgs.apiServer["${kubeletAuthority}"] and serverTLSBootstrap: API servers would refuse the kubelets' serving certificates`,
            ),
            ...onNewMachines(etcdRestore),
        ]),
        ...at(
            "authoritiesGraceHours",
            unless(
                hours === undefined || (hours >= 0 && hours <= 8760),
                "",
                `${hours} is not allowed: from 0 to 8760 hours`,
            ),
        ),
    ];
}

function loginProblems({ rotate, infrastructure }: PlainArgs): Problem[] {
    const asked = rotate?.loginKey;
    if (asked === undefined) return [];
    const cloud = infrastructure.heat ?? infrastructure.nova;
    if (cloud === undefined)
        return at("loginKey", [
            [
                "",
                "needs servers that this package makes, by infrastructure.heat or infrastructure.nova: the key by which other machines are reached is yours to exchange",
            ],
        ]);
    const place = infrastructure.heat === undefined ? "infrastructure.nova" : "infrastructure.heat";
    const own = (["privateKey", "password", "agent"] as const).find(each => cloud.ssh?.[each] !== undefined);
    return at("loginKey", [
        ...wordProblems(asked),
        ...unless(cloud.keyPair === undefined, "", `cannot be used beside ${place}.keyPair: its key is yours`),
        ...unless(own === undefined, "", `cannot be used beside ${place}.ssh.${own}: this login is yours`),
        ...unless(
            infrastructure.heat?.template === undefined,
            "",
            "cannot be used beside infrastructure.heat.template: other user data could make Heat replace the servers of a template of yours",
        ),
    ]);
}

const wordProblems = (asked: string) =>
    unless(word.test(asked), "", `"${asked}" is not allowed: a word of letters, digits, dots, - and _`);

const onNewMachines = (restore: PlainArgs["etcdRestore"]) =>
    unless(
        restore?.onto !== newMachines,
        "",
        "cannot be used beside etcdRestore.onto newMachines: the snapshot needs the key of its time. Take it out until the cluster is back",
    );

/** The first flag of the program that such a rotation would contradict, by its place. */
function ownFlag(
    { extraArgs }: NonNullable<PlainArgs["controlPlane"]>,
    component: "apiServer" | "controllerManager" | "etcd",
    flags: RegExp,
): string | undefined {
    const flag = Object.keys(extraArgs?.[component] ?? {}).find(each => flags.test(each));
    return flag === undefined ? undefined : `controlPlane.extraArgs.${component}["${flag}"]`;
}

function at(input: string, found: Problem[]): Problem[] {
    return found.map(([place, problem]): Problem => [`rotate.${input}${place}`, problem]);
}
