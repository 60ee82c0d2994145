import assert from "node:assert/strict";
import { findProblems } from "../../../../../provider/openstack/checks";
import { sampleInventory, sampleRequirements } from "../sample-cloud";
import { type Change, server } from "./checking";

describe("the checks of what belongs to a user", () => {
    const problems = (change: Change) => {
        const [needs, facts] = [sampleRequirements(), sampleInventory()];
        facts.owners.push(facts.owners[0]!);
        facts.maker = { id: "u1", name: "ann" };
        facts.user = { id: "u2", name: "bob" };
        change(needs, facts);
        return findProblems(needs, facts).filter(({ id }) => id.endsWith("-of-other-user"));
    };
    const allThere: Change = (n, f) => {
        for (const { name } of n.servers) f.servers!.push(server(name));
    };

    it("name the key pair of the one who ran first, and both ways on, where a server is to be made", () => {
        const [found, ...others] = problems(() => {});
        assert.deepEqual([others, found!.severity], [[], undefined]);
        assert.match(found!.message, /^the key pair "core" belongs to the user ann \(u1\), .* you are bob \(u2\)/);
        assert.match(
            found!.hint!,
            /show --public-key core > key\.pub, you run openstack keypair create --public-key key\.pub core/,
        );
    });

    it("only warn where all servers are there", () => {
        assert.deepEqual(
            problems(allThere).map(({ severity }) => severity),
            ["warning"],
        );
    });

    it("are content with a key pair of the same name, the same user, one that is not known, and another back end", () => {
        const fine: Change[] = [
            (_, f) => void f.keyPairs!.push("core"),
            (_, f) => void Object.assign(f, { user: { id: "u1", name: "ann" } }),
            (_, f) => void delete f.maker,
            (_, f) => void Object.assign(f, { kept: "in the stack" }),
            n => void Object.assign(n, { keyPairsMade: [] }),
        ];
        for (const change of fine) assert.deepEqual(problems(change), []);
    });

    it("warn of an application credential that ends with another user", () => {
        const found = problems((n, f) => {
            n.credentialMade = true;
            f.keyPairs!.push("core");
        });
        assert.deepEqual(
            found.map(({ id, severity }) => [id, severity]),
            [["credential-of-other-user", "warning"]],
        );
        assert.match(found[0]!.message, /belongs to the user ann \(u1\)/);
    });
});
