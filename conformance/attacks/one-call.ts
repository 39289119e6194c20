/**
 * Makes one call in this process, for cases that put the process itself into a bad place (a full disk, another user, a
 * read-only file system). Reads `OneCall` on stdin, prints `OneCallAnswer`.
 */

import fs from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { JsonObject } from '../../src/core/json.ts';
import type { ToolResult } from '../../src/core/tool-result.ts';
import { openTestAgent } from '../../src/testing/test-agent.ts';

export type OneCall = {
  root: string;
  environment: Record<string, string>;
  /** Put there in the bad place itself. */
  files: Record<string, string>;
  tool: string;
  args: JsonObject;
};
export type OneCallAnswer = { result: ToolResult; files: Record<string, string>; names: string[] };

const { root, environment, files, tool, args } = JSON.parse(await text(process.stdin)) as OneCall;
for (const [file, content] of Object.entries(files)) fs.writeFileSync(path.join(root, file), content);
const opened = await openTestAgent({
  folder: root,
  environment,
  platform: process.platform,
  allow: ['*'],
  onWarning: () => {},
});
if (!opened.ok) throw new Error(opened.error.message);
const result = await opened.value.executeTool(tool, args);
await opened.value.close();
const contents = Object.fromEntries(
  Object.keys(files).map((file) => [file, fs.readFileSync(path.join(root, file), 'hex')]),
);
const answer: OneCallAnswer = { result, files: contents, names: fs.readdirSync(root) };
process.stdout.write(JSON.stringify(answer));
