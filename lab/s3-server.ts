import { buildPrograms } from "../tools/go-build";
import type { Progress } from "../tools/progress";

const version = "1.2.0";

/** Path of a small S3 server for tests, built from Go modules: `gofakes3 -backend memory -initialbucket NAME -host ADDRESS:PORT`, without TLS. */
export async function s3Server(progress: Progress): Promise<string> {
    const group = {
        name: "gofakes3",
        goVersion: "1.24.0",
        requires: [`github.com/johannesboyne/gofakes3@v${version}`],
        programs: { gofakes3: { package: "github.com/johannesboyne/gofakes3/cmd/gofakes3", usualSeconds: 30 } },
        stamps: [],
    };
    return (await buildPrograms(group, progress))["gofakes3"]!;
}
