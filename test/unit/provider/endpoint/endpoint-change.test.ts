import assert from "node:assert/strict";
import {
    changeOfEndpoint,
    type EndpointQuestion,
    type EndpointShape,
    formerEndpoints,
    refusedBeside,
    refusedEndpointChange,
} from "../../../../provider/endpoint/endpoint-change";
import { vipEndpoint } from "../sample-specs";

const name: EndpointShape = { kind: "name", host: "", port: 6443 };
const vip = (host = "10.0.0.100", port = 16443, virtualRouterId = Number(host.split(".").at(-1))): EndpointShape => ({
    kind: "vip",
    host,
    port,
    virtualRouterId,
});
const external = (host = "api.site", port = 6443): EndpointShape => ({ kind: "external", host, port });
const question = (before: EndpointShape, after: EndpointShape): EndpointQuestion => ({ before, after });

describe("a change of the endpoint", () => {
    const possible: [called: string | undefined, before: EndpointShape, after: EndpointShape][] = [
        [undefined, vip(), vip()],
        [undefined, vip(), vip("10.0.0.100", 16443, 7)],
        [undefined, name, name],
        ["vip: address", vip(), vip("10.0.0.101")],
        ["vip: port", vip(), vip("10.0.0.100", 8443)],
        ["vip: address and port", vip(), vip("10.0.0.101", 8443)],
        ["vip to external", vip(), external()],
        ["external to vip", external(), vip()],
        ["name to vip", name, vip()],
        ["name to external", name, external()],
        ["external: address", external(), external("other.site")],
        ["external: port", external(), external("api.site", 443)],
        ["external: port", external(), external("api.site", 6444)],
    ];
    for (const [called, before, after] of possible) {
        it(`is possible: ${called ?? "none"} (${before.host}:${before.port} to ${after.host}:${after.port})`, () => {
            assert.equal(changeOfEndpoint(question(before, after)), called);
            assert.equal(refusedEndpointChange(question(before, after)), undefined);
        });
    }

    const refused: [why: RegExp, question: EndpointQuestion][] = [
        [/next to it/, question(vip(), vip("10.0.0.100", 16444))],
        [/next to it/, question(vip(), vip("10.0.0.101", 16442))],
        [/another controlPlane\.endpoint\.vip\.virtualRouterId/, question(vip(), vip("10.0.0.101", 16443, 100))],
        [/6443 is where the API server .* itself listens/, question(vip(), vip("10.0.0.100", 6443))],
        [/one address cannot be on the masters and elsewhere/, question(vip(), external("10.0.0.100"))],
        [/one address cannot be on the masters and elsewhere/, question(external("10.0.0.100"), vip())],
        [/clients would be left without an address/, question(vip(), name)],
        [/on a cloud/, question(vip(), { ...vip("10.0.0.101"), onCloud: true })],
    ];
    for (const [why, asked] of refused) {
        it(`is refused with what to do instead: ${why.source}`, () => {
            const said = refusedEndpointChange(asked);
            assert.match(said!, why);
            assert.match(said!, /this cluster has .*, .* is asked for; .* Nothing was touched\. Set it back to /);
        });
    }

    it("that is none is never refused, whatever else changes", () => {
        assert.equal(refusedEndpointChange(question(vip(), vip())), undefined);
        const onCloud = { ...vip(), onCloud: true };
        assert.equal(refusedEndpointChange(question(onCloud, onCloud)), undefined);
    });
});

describe("former endpoints", () => {
    const other = { host: "10.0.0.101", port: 16443 };

    it("are all that are known but the wanted one, each once", () => {
        assert.deepEqual(formerEndpoints(vipEndpoint, [vipEndpoint, other, { ...other }]), [other]);
        assert.deepEqual(formerEndpoints(other, [vipEndpoint, other]), [vipEndpoint]);
    });

    it("of a run that did not end are held to the same rules at the machine", () => {
        const next = { ...vipEndpoint, port: vipEndpoint.port + 1 };
        assert.equal(refusedBeside(vipEndpoint, [other]), undefined);
        assert.match(refusedBeside(next, [other, vipEndpoint])!, /next to it/);
    });
});
