import assert from "node:assert/strict";
import fc from "fast-check";
import { cidrProblem, covers, overlap, parseCidr } from "../../../../provider/common/cidr";

const net = (text: string) => parseCidr(text)!;

describe("networks", () => {
    it("cover what is wholly in them, not what is larger, beside them, or of another version", () => {
        assert.ok(covers(net("10.240.0.0/12"), net("10.244.0.0/16")));
        assert.ok(covers(net("10.244.0.0/16"), net("10.244.0.0/16")));
        assert.ok(covers(net("0.0.0.0/0"), net("192.0.2.1/32")));
        assert.ok(!covers(net("10.244.0.0/17"), net("10.244.0.0/16")));
        assert.ok(!covers(net("10.245.0.0/16"), net("10.244.0.0/16")));
        assert.ok(!covers(net("::/0"), net("10.244.0.0/16")));
    });

    it("are refused with bits of a host, and the network named in its place is right", () => {
        const any = fc.oneof(
            fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 })),
            fc.tuple(fc.ipV6(), fc.integer({ min: 0, max: 128 })),
        );
        fc.assert(
            fc.property(any, ([ip, bits]) => {
                const text = `${ip}/${bits}`;
                const named = /in the network (\S+): /.exec(cidrProblem(text, "") ?? "")?.[1] ?? text;
                assert.equal(cidrProblem(named, ""), undefined, named);
                assert.deepEqual(net(named), net(text));
            }),
        );
        assert.equal(cidrProblem("10.0.0.0", "10.0.0.0/8"), '"10.0.0.0" is no network: write it like "10.0.0.0/8"');
    });

    it("overlap exactly if one covers the other", () => {
        const any = fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 })).map(([ip, bits]) => net(`${ip}/${bits}`));
        fc.assert(fc.property(any, any, (a, b) => assert.equal(overlap(a, b), covers(a, b) || covers(b, a))));
    });
});
