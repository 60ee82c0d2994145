import assert from "node:assert/strict";
import { problems } from "../../../../components/validation/validate";
import { clusterArgs } from "../sample-args";

type Given = ReturnType<typeof clusterArgs>;
const found = (change: (args: any) => void) => {
    const args: Given = clusterArgs(1);
    change(args);
    return problems("KubernetesCluster", args);
};
const vip = (port?: number) => (args: any) => {
    args.controlPlane = { endpoint: { vip: { address: "10.0.0.100", ...(port && { port }) } } };
};
const range = (text: string) => (args: any) => {
    vip()(args);
    args.controlPlane.extraArgs = { apiServer: { "service-node-port-range": text } };
};
const ssh = (given: object) => (args: any) => {
    args.infrastructure.hosts.ssh = { ...args.infrastructure.hosts.ssh, password: "x", ...given };
};
const ofMachine = (given: object) => (args: any) => {
    ssh({})(args);
    args.infrastructure.hosts.controlPlane.m1.ssh = given;
};

describe("a port of the nodes that a tenant's Service could take", () => {
    for (const [title, change, problem] of [
        ["the API's", vip(30443), /controlPlane\.endpoint\.vip\.port: 30443 is the API's port .*\(30000-32767\)/],
        ["that of HAProxy's health check", vip(29999), /vip\.port: 30000 is the port of the API's health check/],
        ["SSH's", ssh({ port: 30022 }), /infrastructure\.hosts\.ssh\.port: 30022 is the port of SSH/],
        ["one in a wider range", range("1-65535"), /service-node-port-range: 22 is a port of SSH/],
        ["one in a range by its length", range("6000+500"), /service-node-port-range: 6443 is a port/],
        ["the API's usual one", range("16443"), /service-node-port-range: 16443 is the API's port/],
    ] as [string, (args: any) => void, RegExp][])
        it(`is refused: ${title}`, () => assert.match(found(change).join("\n"), problem));

    for (const [title, change] of [
        ["outside of the range", vip(33443)],
        ["outside of another range", range("20000-22767")],
        ["of a router before the node", ofMachine({ host: "192.0.2.1", port: 30022 })],
    ] as [string, (args: any) => void][])
        it(`is allowed ${title}`, () => assert.deepEqual(found(change), []));
});
