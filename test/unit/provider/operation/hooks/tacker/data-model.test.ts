import assert from "node:assert/strict";
import type { HookFacts } from "../../../../../../provider/operation/hooks/contract";
import { type ScriptInput, scriptInputs } from "../../../../../../provider/operation/hooks/tacker/data-model";
import type { TackerSettings } from "../../../../../../provider/operation/hooks/tacker/settings";
import { factsOf, node, packages, scaleOut } from "./fixtures";

type Loose = Record<keyof ScriptInput, any>;

const inputs = (facts: HookFacts, settings: TackerSettings = {}) => scriptInputs(facts, settings, packages) as Loose[];
const input = (facts: HookFacts, settings?: TackerSettings) => inputs(facts, settings)[0]!;
const servers = (resources: { resource?: { resourceId: string } }[]) =>
    resources.map(each => each.resource?.resourceId);

describe("Tacker's data model: the request", () => {
    it("to scale out has aspect, number of steps and the hook's parameters", () => {
        const settings = { vdus: { workers: "workerNode" }, aspects: { workers: "worker_instance" } };
        assert.deepEqual(input(scaleOut("start"), settings).request, {
            type: "SCALE_OUT",
            aspectId: "worker_instance",
            numberOfSteps: 2,
            additionalParams: { colour: "blue" },
        });
    });

    it("to scale in names the pool that shrinks", () => {
        const facts = factsOf("scale", "start", { before: [node("m1"), node("w1"), node("w2")], removed: ["w2"] });
        const { type, aspectId, numberOfSteps } = input(facts).request;
        assert.deepEqual([type, aspectId, numberOfSteps], ["SCALE_IN", "workers", 1]);
    });

    it("is one for each group if several groups scale at once", () => {
        const after = [node("m1"), node("m2"), node("m3"), node("w1"), node("e1")];
        const facts = factsOf("scale", "end", { after, added: ["m2", "m3", "e1"] });
        const seen = inputs(facts).map(({ request, grant_request: { addResources } }) => [
            request.aspectId,
            request.numberOfSteps,
            addResources.length,
        ]);
        assert.deepEqual(seen, [
            ["controlPlane", 2, 2],
            ["edge", 1, 1],
        ]);
    });

    it("to heal names VNFCs by the ids that the instance has, and a jump server by none", () => {
        const { request, vnf_instance } = input(factsOf("heal", "start", { replaced: ["w1", "jump"] }));
        const vnfc = vnf_instance.instantiatedVnfInfo.vnfcInfo.find((each: any) => each.vduId === "workers");
        assert.deepEqual(request.vnfcInstanceId, [vnfc.id]);
        assert.equal(request.cause, "w1 is lost");
    });

    it("of every kind of operation is one of SOL 003's, and the settings win", () => {
        const request = (kind: HookFacts["operation"]["kind"]) => Object.keys(input(factsOf(kind, "start")).request);
        assert.deepEqual(request("instantiate"), ["flavourId", "additionalParams"]);
        assert.deepEqual(request("change_current_package"), ["vnfdId", "additionalParams"]);
        assert.deepEqual(request("change_external_connectivity"), ["extVirtualLinks", "additionalParams"]);
        assert.deepEqual(request("modify_information"), ["additionalParams"]);
        const settings = { request: { terminationType: "GRACEFUL", gracefulTerminationTimeout: 60 } };
        const { terminationType } = input(factsOf("terminate", "start"), settings).request;
        assert.equal(terminationType, "GRACEFUL");
    });
});

describe("Tacker's data model: the instance", () => {
    it("has what it had before the operation at its start, and the new servers first at its end", () => {
        const names = (moment: "start" | "end") => {
            const info = input(scaleOut(moment)).vnf_instance.instantiatedVnfInfo;
            return info.vnfcResourceInfo.map((each: any) => each.computeResource.resourceId);
        };
        assert.deepEqual(names("start"), ["server-w1", "server-m1"]);
        assert.deepEqual(names("end"), ["server-w3", "server-w2", "server-w1", "server-m1"]);
    });

    it("has the former levels at the end of scaling, as Tacker adjusts them later", () => {
        assert.deepEqual(input(scaleOut("end")).vnf_instance.instantiatedVnfInfo.scaleStatus, [
            { aspectId: "controlPlane", scaleLevel: 1 },
            { aspectId: "workers", scaleLevel: 1 },
        ]);
    });

    it("is not instantiated before instantiation and after termination", () => {
        const settings = { vimConnectionInfo: { vim1: { vimType: "ETSINFV.OPENSTACK_KEYSTONE.V_3" } } };
        const before = input(factsOf("instantiate", "start"), settings).vnf_instance;
        assert.equal(before.instantiationState, "NOT_INSTANTIATED");
        assert.equal("instantiatedVnfInfo" in before, false);
        assert.deepEqual(Object.keys(before.vimConnectionInfo), ["vim1"]);
        const end = input(factsOf("terminate", "end"), settings).vnf_instance;
        assert.deepEqual(end.instantiatedVnfInfo, { flavourId: "simple", vnfState: "STOPPED" });
        assert.deepEqual([end.instantiationState, end.vimConnectionInfo], ["NOT_INSTANTIATED", {}]);
        assert.equal(input(factsOf("heal", "start"), settings).vnf_instance.instantiationState, "INSTANTIATED");
    });

    it("has the address of a node as that of a connection point", () => {
        const [vnfc] = input(factsOf("heal", "end")).vnf_instance.instantiatedVnfInfo.vnfcResourceInfo;
        const [point] = vnfc.vnfcCpInfo;
        assert.equal(point.cpdId, "workers_CP1");
        const [{ ipOverEthernet }] = point.cpProtocolInfo;
        assert.deepEqual(ipOverEthernet.ipAddresses, [{ type: "IPV4", addresses: ["10.0.0.119"] }]);
    });

    it("has the Heat stack where scripts look for it, and the id that Tacker's stack name has", () => {
        const { vnf_instance } = input(factsOf("heal", "end"), { stack: { name: "vnf-1234", id: "5678" } });
        assert.equal(vnf_instance.id, "1234");
        assert.equal(vnf_instance.instantiatedVnfInfo.metadata.stack_id, "5678");
        assert.equal(vnf_instance.instantiatedVnfInfo.vnfcResourceInfo[0].metadata.stack_id, "vnf-1234/5678");
    });

    it("takes over what the user gives, for the whole and for single nodes", () => {
        const settings = {
            vnfdId: "other",
            vnfcs: { w1: { metadata: { stack_id: "nested/1" } } },
            instance: { metadata: { site: "north" }, instantiatedVnfInfo: { localizationLanguage: "ja" } },
        };
        const { vnf_instance } = input(factsOf("heal", "end"), settings);
        const { instantiatedVnfInfo, metadata, vnfdId } = vnf_instance;
        assert.equal(vnfdId, "other");
        assert.deepEqual(metadata, { site: "north" });
        assert.equal(instantiatedVnfInfo.localizationLanguage, "ja");
        assert.deepEqual(instantiatedVnfInfo.vnfcResourceInfo[0].metadata, { stack_id: "nested/1" });
    });

    it("has the new descriptor's id only after the package was changed", () => {
        const next = { flavourId: "simple", descriptor: { vnfdId: "vnfd-2" } };
        const at = (moment: "start" | "end") =>
            scriptInputs(factsOf("change_current_package", moment), {}, { ...packages, next })[0]!;
        assert.equal(at("start").vnf_instance["vnfdId"], "vnfd-1");
        assert.equal(at("start").request["vnfdId"], "vnfd-2");
        assert.equal(at("end").vnf_instance["vnfdId"], "vnfd-2");
    });
});

describe("Tacker's data model: the grant", () => {
    it("asks for and grants the servers that come, with the same ids at start and end", () => {
        const { grant_request, grant_response } = input(scaleOut("start"));
        const templates = grant_request.addResources.map((each: any) => [each.type, each.resourceTemplateId]);
        assert.deepEqual(templates, [
            ["COMPUTE", "workers"],
            ["COMPUTE", "workers"],
        ]);
        assert.deepEqual(
            grant_response.addResources.map((each: any) => each.resourceDefinitionId),
            grant_request.addResources.map((each: any) => each.id),
        );
        assert.deepEqual(input(scaleOut("end")).grant_request, grant_request);
    });

    it("of healing removes the former server of a node, although the new one has the same name", () => {
        const after = [node("m1"), node("w1", "new-w1")];
        const { grant_request, vnf_instance } = input(factsOf("heal", "end", { after, replaced: ["w1"] }));
        assert.deepEqual(servers(grant_request.removeResources), ["server-w1"]);
        assert.equal(grant_request.addResources.length, 1);
        const [healed] = vnf_instance.instantiatedVnfInfo.vnfcResourceInfo;
        assert.equal(healed.computeResource.resourceId, "new-w1");
    });

    it("has all servers when the cluster comes or goes", () => {
        assert.equal(input(factsOf("instantiate", "start")).grant_request.addResources.length, 2);
        assert.deepEqual(servers(input(factsOf("terminate", "start")).grant_request.removeResources), [
            "server-m1",
            "server-w1",
        ]);
    });

    it("is None when information is modified", () => {
        const { grant_request, grant_response } = input(factsOf("modify_information", "start"));
        assert.deepEqual([grant_request, grant_response], [null, null]);
    });

    it("and the request are those of the operation that is taken back", () => {
        const before = [node("m1"), node("w1"), node("w2")];
        const facts = factsOf("scale", "start", { before, removed: ["w2"], direction: "in", rollbackOf: "6" });
        const { operation, request, grant_request } = input(facts);
        assert.equal(operation, "scale_rollback_start");
        assert.deepEqual([request.type, request.numberOfSteps], ["SCALE_OUT", 1]);
        assert.equal(grant_request.addResources.length, 1);
        assert.deepEqual(grant_request.removeResources, []);
        const original = factsOf("scale", "start", { after: before, added: ["w2"] });
        original.operation.id = "6";
        assert.equal(input(original).grant_request.addResources[0].id, grant_request.addResources[0].id);
    });
});
