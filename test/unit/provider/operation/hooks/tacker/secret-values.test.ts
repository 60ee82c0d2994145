import assert from "node:assert/strict";
import { scriptInputs } from "../../../../../../provider/operation/hooks/tacker/data-model";
import { secretValues } from "../../../../../../provider/operation/hooks/tacker/secret-values";
import { factsOf, packages } from "./fixtures";

describe("secrets in Tacker's data model", () => {
    it("are the values under keys that say so, of the VIM and of the hook's parameters", () => {
        const facts = factsOf("heal", "start");
        facts.parameters = { master_node: { username: "ubuntu", password: "swordfish" }, auth_token: ["t-1234"] };
        const accessInfo = { username: "admin", password: "hunter2" };
        const vimConnectionInfo = { vim1: { vimType: "ETSINFV.OPENSTACK_KEYSTONE.V_3", accessInfo } };
        const [input] = scriptInputs(facts, { vimConnectionInfo }, packages);
        assert.deepEqual([...new Set(secretValues(input!))].sort(), ["hunter2", "swordfish", "t-1234"]);
    });
});
