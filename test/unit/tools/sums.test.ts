import { strict as assert } from "node:assert";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { sha256File, sumOf } from "../../../tools/sums";
import { scratch } from "./scratch";

const a = "a".repeat(64);
const b = "b".repeat(64);

describe("files of sums", () => {
    const { folder } = scratch();

    it("finds the line whose name is equal, not similar", () => {
        const text = `${a}  etcd.tar.gz.asc\n${b}  etcd.tar.gz\n`;
        assert.equal(sumOf(text, "etcd.tar.gz"), b);
        assert.equal(sumOf(text, "etcd.tar"), undefined);
    });

    it("reads binary marks, leading ./ and capitals", () => {
        assert.equal(sumOf(`${a} *one`, "one"), a);
        assert.equal(sumOf(`${a}  ./one`, "one"), a);
        assert.equal(sumOf(`${a.toUpperCase()}  one`, "one"), a);
    });

    it("takes a lone sum for the file beside it, but not one of several, nor one under another name", () => {
        assert.equal(sumOf(`${a}\n`, "kubelet"), a);
        assert.equal(sumOf(`${a}\n${b}\n`, "kubelet"), undefined);
        assert.equal(sumOf(`${a}  kubeadm\n`, "kubelet"), undefined);
    });

    it("takes no page of an error for a sum", () => {
        assert.equal(sumOf("Not Found", "kubelet"), undefined);
        assert.equal(sumOf("", "kubelet"), undefined);
    });

    it("computes what sha256sum computes", async () => {
        const path = join(folder(), "file");
        writeFileSync(path, "abc");
        assert.equal(await sha256File(path), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    });
});
