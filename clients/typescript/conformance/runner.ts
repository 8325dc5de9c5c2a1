/** Does what the conformance harness says: a command a line on stdin, a reply or an event a line on stdout. */

import { createInterface } from "node:readline";
import { parseArgs } from "node:util";

import { Client } from "@sluicegate/client";

import { UnsupportedError, perform } from "./commands.js";
import type { Json } from "./values.js";
import { errorOut } from "./values.js";
import { Workers } from "./workers.js";

const { values } = parseArgs({ options: { address: { type: "string" } } });
if (values.address === undefined) {
  throw new Error("give --address HOST:PORT");
}

const emit = (line: Json) => {
  process.stdout.write(`${JSON.stringify(line)}\n`);
};
const client = new Client(values.address);
const workers = new Workers(client, emit);

async function reply({ id, do: name, ...args }: Json): Promise<void> {
  try {
    emit({ id, ok: (await perform(client, workers, String(name), args)) ?? null });
  } catch (error) {
    const isUnsupported = error instanceof UnsupportedError;
    emit({ id, error: isUnsupported ? { ...errorOut(error), kind: "Unsupported", message: error.message } : errorOut(error) });
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  void reply(JSON.parse(line) as Json);
}
process.exit(0);
