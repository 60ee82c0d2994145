import { strict as assert } from "node:assert";
import { inColumn, say } from "../../../dev/progress";

describe("what is said", () => {
    const { log } = console;
    afterEach(() => {
        console.log = log;
    });

    it("begins with the name of its column, line by line, where several go on side by side", async () => {
        const lines: string[] = [];
        console.log = (line: string) => void lines.push(line);
        say("alone");
        const speak = async (text: string) => {
            await new Promise(resolve => setTimeout(resolve, 5));
            say(text);
        };
        await Promise.all([inColumn("e2e", () => speak("a\nb")), inColumn("openstack", () => speak("c"))]);
        console.log = log;
        assert.deepEqual(lines, ["alone", "e2e │ a\ne2e │ b", "openstack │ c"]);
    });
});
