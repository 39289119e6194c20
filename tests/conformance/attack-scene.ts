/** Builds what a case of the catalogue is given. Knows no case by name; a word it does not know is an error. */
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/core/json.ts';
import { BUILT_IN_TOOLS } from '../../src/tools/index.ts';
import { scratchFolder } from '../support/scratch.ts';
import { callTool, createTestContext, type TestContext } from '../support/tool-context.ts';
import { type AttackCase, expand } from './attack-cases.ts';

export type Scene = {
  scratch: string;
  root: string;
  args: JsonObject;
  context: TestContext;
  /** Contents by absolute path, as they were before the call. */
  before: Map<string, Buffer>;
};

export const asObject = (value: JsonValue | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
export const asList = (value: JsonValue | undefined): JsonValue[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value];

const put = (target: string, content: JsonValue): void => {
  const description = asObject(content);
  fs.mkdirSync(path.dirname(target), { recursive: true });
  if (typeof content === 'string') fs.writeFileSync(target, content);
  else if (typeof description.hex === 'string') fs.writeFileSync(target, Buffer.from(description.hex, 'hex'));
  else if (typeof description.size === 'number') {
    fs.writeFileSync(
      target,
      typeof description.fill === 'string' ? description.fill.repeat(description.size / description.fill.length) : '',
    );
    fs.truncateSync(target, description.size);
  } else if (typeof description.content === 'string') fs.writeFileSync(target, description.content);
  else throw new Error(`a file given as ${JSON.stringify(content)} is not known`);
  if (typeof description.mode === 'string') fs.chmodSync(target, Number.parseInt(description.mode, 8));
};

const layOut = (scratch: string, entry: JsonObject): void => {
  const target = path.join(scratch, String(entry.path));
  fs.mkdirSync(path.dirname(target), { recursive: true });
  switch (entry.type) {
    case 'dir':
      fs.mkdirSync(target, { recursive: true });
      break;
    case 'file':
      put(target, entry.content ?? '');
      break;
    case 'symlink':
      fs.symlinkSync(String(entry.to), target);
      break;
    case 'hardlink':
      fs.linkSync(path.join(scratch, String(entry.to)), target);
      break;
    default:
      throw new Error(`a layout of type ${String(entry.type)} is not known`);
  }
};

/** Appends to a file from another process until the test is over. */
const growing = (target: string): void => {
  fs.writeFileSync(target, 'a line of text\n'.repeat(10_000));
  const script = `const fs=require('fs');process.stdin.resume();process.stdin.on('end',()=>process.exit());setInterval(()=>fs.appendFileSync(process.argv[1],'more of the text\\n'.repeat(3000)),10)`;
  const child = spawn(process.execPath, ['-e', script, target], { stdio: ['pipe', 'ignore', 'ignore'] });
  onTestFinished(() => void child.kill());
};

const plantTree = (root: string, tree: JsonObject): void => {
  for (let index = 0; index < Number(tree.dirs ?? 0); index += 1) {
    fs.mkdirSync(path.join(root, `d${Math.floor(index / 1_000)}`, `e${index % 1_000}`), { recursive: true });
  }
  if (typeof tree.depth !== 'number') return;
  // Deeper than a path may be long, so it is made from the bottom up: what is there goes into the next folder.
  const [folder, above] = [path.join(root, 'd'), path.join(root, 'above')];
  fs.mkdirSync(folder);
  for (let depth = 1; depth < tree.depth; depth += 1) {
    fs.mkdirSync(above);
    fs.renameSync(folder, path.join(above, 'd'));
    fs.renameSync(above, folder);
  }
};

const GIVEN: Record<string, (scratch: string, root: string, value: JsonValue) => void> = {
  scratch: () => {},
  workspace: () => {},
  registry: () => {},
  rule: () => {},
  // These need a process of its own in a bad place, see `inBadPlace`, or come after the context is made.
  disk_free_bytes: () => {},
  run_as: () => {},
  mount: () => {},
  steps: () => {},
  concurrent: () => {},
  layout: (scratch, _root, value) => {
    for (const entry of asList(value)) layOut(scratch, asObject(entry));
  },
  home_has: (scratch, _root, value) => {
    for (const entry of asList(value)) {
      const [name = '', content = ''] = String(entry).split('=');
      put(path.join(scratch, 'home', name), content);
    }
  },
  file: (_scratch, root, value) => {
    for (const [name, content] of Object.entries(asObject(value))) {
      if (typeof content === 'string' && content.startsWith('growing ')) growing(path.join(root, name));
      // A bomb is bytes that nobody may unpack; what is in them does not matter.
      else if (typeof content === 'string' && content.startsWith('zip bomb ')) {
        put(path.join(root, name), { hex: `504b0304${'00ff'.repeat(21_000)}` });
      } else put(path.join(root, name), content);
    }
  },
  dir: (_scratch, root, value) => fs.mkdirSync(path.join(root, String(value))),
  fifo: (_scratch, root, value) => {
    for (const name of asList(value)) execFileSync('mkfifo', [path.join(root, String(name))]);
  },
  tree: (_scratch, root, value) => plantTree(root, asObject(value)),
  zip: (scratch, root, value) => GIVEN.file?.(scratch, root, value),
};

export const filesBelow = (folder: string): Map<string, Buffer> => {
  const found = new Map<string, Buffer>();
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (!entry.isFile() || fs.statSync(file).size > 1024 * 1024) continue;
    try {
      found.set(file, fs.readFileSync(file));
    } catch {
      // Not readable for the user of this test: then it cannot be compared either.
    }
  }
  return found;
};

/** What happens between the laying out and the call: "read_file NAME", "external edit of NAME". */
const takeSteps = async (attack: AttackCase, scene: Scene): Promise<void> => {
  for (const step of asList(attack.given.steps).map(String)) {
    const edited = /^external edit of (\S+)$/.exec(step)?.[1];
    const read = /^read_file (\S+)$/.exec(step)?.[1];
    if (edited !== undefined) {
      const target = path.join(scene.root, edited);
      fs.appendFileSync(target, 'by somebody else\n');
      scene.before.set(target, fs.readFileSync(target));
    } else if (read !== undefined) {
      const tool = BUILT_IN_TOOLS.find((candidate) => candidate.name === 'read_file');
      if (tool !== undefined) await callTool(tool, { path: read }, scene.context);
    } else throw new Error(`the step "${step}" is not known`);
  }
};

export const setScene = async (attack: AttackCase): Promise<Scene> => {
  const scratch = scratchFolder(attack.given.tree !== undefined);
  const root = path.join(scratch, 'ws');
  fs.mkdirSync(root);
  for (const [word, value] of Object.entries(attack.given)) {
    const arrange = GIVEN[word];
    if (arrange === undefined) throw new Error(`"given" has "${word}", which is not known`);
    arrange(scratch, root, expand(value));
  }
  const context = await createTestContext({ root });
  onTestFinished(() => context.close());
  const before = attack.given.tree === undefined ? filesBelow(scratch) : new Map<string, Buffer>();
  const scene = { scratch, root, context, args: asObject(expand(attack.when.args ?? {})), before };
  await takeSteps(attack, scene);
  return scene;
};
