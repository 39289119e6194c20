/**
 * Runs one tool in this process, for tests that put the process itself into a bad place (a full disk, another user, a
 * read-only file system). Reads {root, files, tool, args} on stdin, prints {result, files, names}.
 */
import fs from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { JsonObject } from '../../src/core/json.ts';
import { BUILT_IN_TOOLS } from '../../src/tools/index.ts';
import { callTool, createTestContext } from '../support/tool-context.ts';

const {
  root,
  files,
  tool: name,
  args,
} = JSON.parse(await text(process.stdin)) as {
  root: string;
  files: Record<string, string>;
  tool: string;
  args: JsonObject;
};
for (const [file, content] of Object.entries(files)) fs.writeFileSync(path.join(root, file), content);
const tool = BUILT_IN_TOOLS.find((candidate) => candidate.name === name);
if (tool === undefined) throw new Error(`no tool ${name}`);
const context = await createTestContext({ root });
const result = await callTool(tool, args, context);
context.close();
const contents: Record<string, string> = {};
for (const file of Object.keys(files)) contents[file] = fs.readFileSync(path.join(root, file), 'hex');
process.stdout.write(JSON.stringify({ result, files: contents, names: fs.readdirSync(root) }));
