import assert from "node:assert/strict";
import { python } from "./python";

const number = 0x12345678;

/** A BOOTP answer: 2, Ethernet, …, the number, and the offered address. */
function answer(kind: number, id: number, address: number[]): string {
    const packet = Buffer.alloc(240);
    packet[0] = kind;
    packet.writeUInt32BE(id, 4);
    packet.set(address, 16);
    return packet.toString("hex");
}

describe("the probe of the cloud's proof", () => {
    it("asks for an address of its card, to be answered to all", () => {
        const program = "from nfv_lab import probe\noutput = probe.discover(*input).hex()";
        const packet = Buffer.from(String(python(program, ["fa:16:3e:01:02:03", number])), "hex");
        assert.equal(packet.readUInt32BE(4), number);
        assert.equal(packet.readUInt16BE(10), 0x8000);
        assert.equal(packet.subarray(28, 34).toString("hex"), "fa163e010203");
        assert.equal(packet.subarray(236).toString("hex"), "63825363350101ff");
    });

    it("takes the offer with its number, and nothing else", () => {
        const packets = [
            answer(2, number, [10, 254, 254, 7]),
            answer(2, number + 1, [10, 254, 254, 7]),
            answer(1, number, [10, 254, 254, 7]),
            "02",
        ];
        const program = [
            "from nfv_lab import probe",
            `output = [probe.offered(bytes.fromhex(each), ${number}) for each in input]`,
        ].join("\n");
        assert.deepEqual(python(program, packets), ["10.254.254.7", null, null, null]);
    });
});
