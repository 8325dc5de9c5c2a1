/** A real server for tests: `SLUICEGATE_BIN`, or what cargo has built in the repository. */

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const built = join(import.meta.dirname, "../../../../target/debug/sluicegate");
const program = process.env["SLUICEGATE_BIN"] ?? (existsSync(built) ? built : undefined);

/** Why tests against a server don't run; false where they do. Under CI they must. */
export const skip: string | false =
  program === undefined && !process.env["CI"] ? "no server: set SLUICEGATE_BIN, or build it" : false;

/** Lends a server to a test, and ends it. */
export async function withServer(test: (address: string) => Promise<void>): Promise<void> {
  if (program === undefined) {
    throw new Error("there is no server: set SLUICEGATE_BIN");
  }
  const dir = mkdtempSync(join(tmpdir(), "sluicegate-"));
  const server = spawn(program, ["serve", "--listen", "127.0.0.1:0", "--data", dir], { stdio: ["ignore", "pipe", "ignore"] });
  const ended = new Promise((resolve) => server.once("exit", resolve));
  try {
    const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
    const first = await lines.next();
    const address = String(first.value).replace(/^listening on /, "");
    await test(address);
  } finally {
    server.kill("SIGKILL");
    await ended;
    rmSync(dir, { recursive: true, force: true });
  }
}
