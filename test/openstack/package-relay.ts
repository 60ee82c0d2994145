import { connect, createServer } from "node:net";

/** A program: passes connections at an address on to a socket in the file system. Ends with its standard input. */
const [address, port, socket] = process.argv.slice(2) as [string, string, string];

createServer(outside => {
    const inside = connect(socket);
    outside.pipe(inside).pipe(outside);
    outside.on("error", () => inside.destroy());
    inside.on("error", () => outside.destroy());
}).listen(Number(port), address, () => console.log("listening"));
process.stdin.resume().on("end", () => process.exit(0));
