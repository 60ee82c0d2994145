import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
    expandTemplate,
    readTemplate,
    userDataClasses,
} from "../../../../../../components/infrastructure/openstack/hot";
import { noTackerSamples, tackerSamples } from "../../../../../../dev/tacker-samples";
import { skipIf } from "../../../../../support/skip";
import { derivedSettings } from "./derived-settings";
import { flat, naming } from "./samples";

/** Templates that are refused whatever is given, and the sentence that says why. */
const refused: Record<string, RegExp> = {
    "samples/free5gc/vnf/change_ext_conn/BaseHOT/simple/base_hot_top.yaml":
        /base_hot_nested_free5gc\.yaml:38: .*\n.*free5gc_instance_group_1_free5gc_UPF_CP and free5gc_instance_group_2_free5gc_UPF_CP would both have the address 10\.0\.0\.9/,
    "samples/tests/unit/sol_refactored/samples/sample1/BaseHOT/error/ut_sample1.yaml":
        /error\/ut_sample1\.yaml:28: INVALID_INPUT\n.*there is no parameter nfv_1\n.*Parameters of this file: nfv/,
    "samples/tests/unit/sol_refactored/samples/sample1/BaseHOT/simple/ut_sample1.yaml":
        /simple\/ut_sample1\.yaml:29: INVALID_INPUT\n.*there is no parameter nfv_1\n.*Parameters of this file: nfv/,
};

const files = noTackerSamples() ? [] : (readdirSync(tackerSamples, { recursive: true }) as string[]).sort();

/** All templates of Tacker's packages: those of its samples, of its guides and of its tests. */
const templates = files.filter(file => /BaseHOT\/([^/]+\/)?[^/]+\.yaml$/.test(file));

describe("all templates of Tacker's packages, read unmodified", () => {
    before(function () {
        skipIf(this, noTackerSamples());
    });

    it("are there", () => {
        assert.equal(templates.length, 69);
        for (const template of Object.keys(refused)) assert.ok(templates.includes(template), template);
    });

    const expanded = (template: string) => {
        const files = readTemplate(join(tackerSamples, template));
        const { tacker, counts, parameters } = derivedSettings(files);
        const request = { naming, clusterName: "core", counts, parameters };
        return { counts, stack: expandTemplate(files, tacker, request) };
    };

    for (const template of templates.filter(each => refused[each] === undefined)) {
        it(`becomes a cluster: ${template}`, () => {
            const { counts, stack } = expanded(template);
            const workers = Object.values(counts.pools).reduce((sum, count) => sum + count, 0);
            assert.equal(stack.nodes.length, counts.controlPlane + workers);
            assert.equal(new Set(stack.nodes.map(({ resource }) => resource)).size, stack.nodes.length);
            const { resources, outputs } = flat(stack);
            for (const { name, resource, outputs: named } of stack.nodes) {
                assert.equal(resources[resource].type, "OS::Nova::Server");
                assert.deepEqual(outputs[named.serverId]!.value, { get_resource: resource }, name);
                assert.ok(outputs[named.address], name);
            }
            assert.deepEqual(stack.unread, []);
        });
    }

    it("have UserData classes that are known here, but for two of their own", () => {
        const sources = files
            .filter(file => file.endsWith(".py"))
            .map(file => readFileSync(join(tackerSamples, file), "utf8"));
        const classes = sources.flatMap(text =>
            [...text.matchAll(/^class (\w+)\(.*AbstractUserData\)/gm)].map(([, name]) => name!),
        );
        const unknown = [...new Set(classes)].filter(name => !Object.hasOwn(userDataClasses, name)).sort();
        assert.deepEqual(unknown, ["ETSICompatibleUserData", "UserData"]);
    });

    for (const [template, why] of Object.entries(refused)) {
        it(`is refused with a sentence: ${template}`, () => {
            assert.throws(() => expanded(template), { code: "INVALID_INPUT", message: why });
        });
    }
});
