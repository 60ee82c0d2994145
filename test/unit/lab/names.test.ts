import assert from "node:assert/strict";
import fc from "fast-check";
import { addresses, checkLabName, macOf, nodeNames, parseCpus, parseSize, portOf } from "../../../lab/names";

describe("names and addresses of lab nodes", () => {
    it("gives masters, workers and storage their fixed addresses", () => {
        assert.deepEqual(addresses(["m1", "m3", "w1", "w9", "st1"]), {
            m1: "10.99.0.11",
            m3: "10.99.0.13",
            w1: "10.99.0.21",
            w9: "10.99.0.29",
            st1: "10.99.0.31",
        });
    });

    it("never gives an address twice, nor the gateway or the virtual address", () => {
        const name = fc.stringMatching(/^[a-z]{1,3}[0-9]{0,3}$/).filter(text => /^[a-z]/.test(text));
        fc.assert(
            fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 80 }), names => {
                const given = Object.values(addresses(names));
                assert.equal(given.length, names.length);
                assert.equal(new Set(given).size, given.length);
                for (const taken of ["10.99.0.1", "10.99.0.100"]) {
                    assert.ok(!given.includes(taken));
                }
            }),
        );
    });

    it("leaves addresses alone that other nodes of the lab have", () => {
        assert.notEqual(addresses(["gw"], ["10.99.0.101"])["gw"], "10.99.0.101");
        assert.notEqual(addresses(["m1"], ["10.99.0.11"])["m1"], "10.99.0.11");
    });

    it("reads a number of nodes, and names with commas or blanks between", () => {
        assert.deepEqual(nodeNames(["3"]), ["n1", "n2", "n3"]);
        assert.deepEqual(nodeNames(["m1,w1", "w2"]), ["m1", "w1", "w2"]);
        for (const bad of [[], ["m1", "m1"], ["M1"], ["a b"], ["../x"], ["a--b"]]) {
            assert.throws(() => nodeNames(bad));
        }
    });

    it("takes no lab name with a dash, which could be another lab's node", () => {
        assert.equal(checkLabName("demo2"), "demo2");
        for (const bad of ["a-b", "", "A", "1a", ".shared", "a/b", "a".repeat(21)]) {
            assert.throws(() => checkLabName(bad));
        }
    });

    it("keeps interface names short and hardware addresses apart", () => {
        assert.ok(portOf("10.99.0.250").length <= 15);
        assert.notEqual(macOf("a", "m1"), macOf("b", "m1"));
        assert.match(macOf("a", "m1"), /^52:54:00(:[0-9a-f]{2}){3}$/);
    });

    it("reads sizes in powers of 1024", () => {
        assert.deepEqual([parseCpus("0.5"), parseCpus("2")], [0.5, 2]);
        for (const text of ["x", "0", "-1"]) assert.throws(() => parseCpus(text), /--cpus .*greater than 0/);
        assert.equal(parseSize("4GiB"), 4 * 2 ** 30);
        assert.equal(parseSize("512MiB"), 512 * 2 ** 20);
        assert.equal(parseSize("1.5G"), 1.5 * 2 ** 30);
        assert.equal(parseSize("4096"), 4096);
        for (const bad of ["", "4 GiBs", "-1G", "G"]) {
            assert.throws(() => parseSize(bad));
        }
    });
});
