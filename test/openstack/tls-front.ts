import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { createServer } from "node:tls";

/** A program: TLS in front of a plain port of the same address. Ends with its standard input. */
const [address, port, cert, key, target] = process.argv.slice(2) as [string, string, string, string, string];

createServer({ cert: readFileSync(cert), key: readFileSync(key) }, outside => {
    const inside = connect(Number(target), address);
    outside.pipe(inside).pipe(outside);
    outside.on("error", () => inside.destroy());
    inside.on("error", () => outside.destroy());
}).listen(Number(port), address, () => console.log("listening"));
process.stdin.resume().on("end", () => process.exit(0));
