/** Builds what a case is given in a scratch folder of its own, and opens halter there. Knows no case by name. */

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type { Agent } from '../../src/agent/create-agent.ts';
import type { JsonObject, JsonValue } from '../../src/core/json.ts';
import { halterPaths } from '../../src/storage/paths.ts';
import { openTestAgent, type TestAgentOptions } from '../../src/testing/test-agent.ts';
import { type AttackCase, asList, asObject, expand, type Places, Unmet, withPlaces } from './attack-case.ts';
import { killed } from './processes.ts';

export type Scene = Places & {
  root: string;
  /** The case with its generators expanded and its placeholders filled in. */
  attack: AttackCase;
  environment: Record<string, string>;
  /** Contents by absolute path, as they were before the call. */
  before: Map<string, Buffer>;
  open(options?: Partial<TestAgentOptions>): Promise<Agent>;
  /** Runs when the case is over, the last one first. */
  onEnd(end: () => void | Promise<void>): void;
};

const put = (target: string, content: JsonValue): void => {
  const description = asObject(content);
  fs.mkdirSync(path.dirname(target), { recursive: true });
  if (typeof content === 'string') fs.writeFileSync(target, content);
  else if (typeof description['hex'] === 'string') fs.writeFileSync(target, Buffer.from(description['hex'], 'hex'));
  else if (typeof description['size'] === 'number') {
    const { fill, size } = description;
    fs.writeFileSync(target, typeof fill === 'string' ? fill.repeat(Number(size) / fill.length) : '');
    fs.truncateSync(target, Number(size));
  } else if (typeof description['sparse_size'] === 'number') {
    fs.writeFileSync(target, '');
    fs.truncateSync(target, description['sparse_size']);
  } else if (typeof description['content'] === 'string') fs.writeFileSync(target, description['content']);
  else throw new Unmet(`a file given as ${JSON.stringify(content)} is not known`);
  if (typeof description['mode'] === 'string') fs.chmodSync(target, Number.parseInt(description['mode'], 8));
};

const layOut = (scene: Scene, entry: JsonObject): void => {
  const target = path.join(scene.scratch, String(entry['path']));
  fs.mkdirSync(path.dirname(target), { recursive: true });
  switch (entry['type']) {
    case 'dir':
      fs.mkdirSync(target, { recursive: true });
      break;
    case 'file':
      put(target, entry['content'] ?? '');
      break;
    case 'symlink':
      fs.symlinkSync(String(entry['to']), target);
      break;
    case 'hardlink':
      fs.linkSync(path.join(scene.scratch, String(entry['to'])), target);
      break;
    default:
      throw new Unmet(`a layout of type ${String(entry['type'])} is not known`);
  }
};

/** Appends to a file from another process until the case is over. */
const growing = (scene: Scene, target: string): void => {
  fs.writeFileSync(target, 'a line of text\n'.repeat(10_000));
  const script =
    "const fs=require('fs');process.stdin.resume();process.stdin.on('end',()=>process.exit());setInterval(()=>fs.appendFileSync(process.argv[1],'more of the text\\n'.repeat(3000)),10)";
  const child = spawn(process.execPath, ['-e', script, target], { stdio: ['pipe', 'ignore', 'ignore'] });
  scene.onEnd(() => killed(child));
};

const plantTree = (root: string, tree: JsonObject): void => {
  for (let index = 0; index < Number(tree['dirs'] ?? 0); index += 1) {
    fs.mkdirSync(path.join(root, `d${Math.floor(index / 1_000)}`, `e${index % 1_000}`), { recursive: true });
  }
  if (typeof tree['depth'] !== 'number') return;
  // Deeper than a path may be long, so it is made from the bottom up: what is there goes into the next folder.
  const [folder, above] = [path.join(root, 'd'), path.join(root, 'above')];
  fs.mkdirSync(folder);
  for (let depth = 1; depth < tree['depth']; depth += 1) {
    fs.mkdirSync(above);
    fs.renameSync(folder, path.join(above, 'd'));
    fs.renameSync(above, folder);
  }
};

const putFiles = (scene: Scene, value: JsonValue): void => {
  // A file without a name is the one that the call is about.
  const named =
    typeof value === 'string'
      ? { [String(asObject(scene.attack.when['args'])['path'] ?? UNNAMED_FILE)]: value }
      : asObject(value);
  for (const [name, content] of Object.entries(named)) {
    const target = path.join(scene.root, name);
    if (typeof content === 'string' && content.startsWith('growing ')) growing(scene, target);
    // A bomb is bytes that nobody may unpack; what is in them does not matter.
    else if (typeof content === 'string' && content.startsWith('zip bomb ')) {
      put(target, { hex: `504b0304${'00ff'.repeat(21_000)}` });
    } else put(target, content);
  }
};

export const UNNAMED_FILE = 'file.txt';
/** Stands beside a folder that cannot be read. */
export const NEIGHBOUR_FILE = 'neighbour.txt';

/** A name that begins with a slash is one beside the workspace. */
const inRoot = (scene: Scene, name: string): string =>
  name.startsWith('/') ? path.join(scene.scratch, name) : path.join(scene.root, name);

const putFolder = (scene: Scene, name: string, description: JsonObject): void => {
  const folder = inRoot(scene, name);
  fs.mkdirSync(folder, { recursive: true });
  if (typeof description['mode'] !== 'string') return;
  fs.writeFileSync(path.join(scene.root, NEIGHBOUR_FILE), 'beside it\n');
  fs.chmodSync(folder, Number.parseInt(description['mode'], 8));
  scene.onEnd(() => fs.chmodSync(folder, 0o700));
};

/** What laying out means, word by word. Words that are somebody else's business are named by the groups. */
const ARRANGE: Readonly<Record<string, (scene: Scene, value: JsonValue) => void>> = {
  layout: (scene, value) => {
    for (const entry of asList(value)) layOut(scene, asObject(entry));
  },
  home_has: (scene, value) => {
    for (const entry of asList(value)) {
      const [name = '', content = ''] = String(entry).split('=');
      put(path.join(scene.home, name), content);
    }
  },
  file: putFiles,
  zip: putFiles,
  file_hex: (scene, value) =>
    put(path.join(scene.root, String(asObject(scene.attack.when['args'])['path'] ?? UNNAMED_FILE)), {
      hex: String(value),
    }),
  project_file: putFiles,
  dir: (scene, value) => {
    const folders = typeof value === 'string' ? { [value]: {} } : asObject(value);
    for (const [name, description] of Object.entries(folders)) putFolder(scene, name, asObject(description));
  },
  symlink: (scene, value) => {
    for (const [link, target] of Object.entries(asObject(value))) fs.symlinkSync(String(target), inRoot(scene, link));
  },
  device: (scene, value) => fs.symlinkSync(String(value), inRoot(scene, String(scene.attack.given['link']))),
  link: () => {},
  socket: (scene, value) => {
    const server = net.createServer().listen(inRoot(scene, String(value)));
    scene.onEnd(() => void server.close());
  },
  raw_name_hex: (scene, value) =>
    fs.writeFileSync(Buffer.concat([Buffer.from(`${scene.root}/`), Buffer.from(String(value), 'hex')]), ''),
  name: (scene, value) => fs.writeFileSync(inRoot(scene, String(value)), ''),
  fifo: (scene, value) => {
    for (const name of asList(value)) execFileSync('mkfifo', [path.join(scene.root, String(name))]);
  },
  tree: (scene, value) => plantTree(scene.root, asObject(value)),
  prep: (scene, value) => void spawnSync('/bin/sh', ['-c', String(value)], { cwd: scene.root }),
};

/** Files of a size that can be compared. Through no link: it may lead to every file that there is. */
export const filesBelow = (folder: string, found = new Map<string, Buffer>()): Map<string, Buffer> => {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    try {
      if (entry.isDirectory()) filesBelow(file, found);
      else if (entry.isFile() && fs.statSync(file).size <= 1024 * 1024) found.set(file, fs.readFileSync(file));
    } catch {
      // Not readable for this user: then it cannot be compared either.
    }
  }
  return found;
};

/** A hundred thousand folders keep a disk busy for minutes; memory does not mind them. */
const temporary = (inMemory: boolean): string =>
  inMemory && fs.existsSync('/dev/shm') ? '/dev/shm' : fs.realpathSync(os.tmpdir());

export type SceneOptions = {
  /** Words of `given` that the group deals with itself. */
  also: readonly string[];
  /** Before anything that the case lays out. */
  prepare?(root: string): void;
};

/** Folders of scenes that are being played. A test that takes too long ends its process in the middle of one. */
const openScratches = new Set<string>();
const removeScratch = (scratch: string): void => {
  openScratches.delete(scratch);
  openFolders(scratch);
  fs.rmSync(scratch, { recursive: true, force: true });
};
/** The layer of a halter that was killed has folders of the kernel's that are closed to all but root. */
const openFolders = (folder: string): void => {
  try {
    fs.chmodSync(folder, 0o700);
    for (const entry of fs.readdirSync(folder, { withFileTypes: true }))
      if (entry.isDirectory()) openFolders(path.join(folder, entry.name));
  } catch {
    // Gone, or of another user: its removal tells more.
  }
};
process.once('exit', () => {
  for (const scratch of openScratches) removeScratch(scratch);
});

/** Opens a scene, plays in it and takes it away again, whatever came of it. */
export const withScene = async <T>(
  given: AttackCase,
  options: SceneOptions,
  play: (scene: Scene) => Promise<T>,
): Promise<T> => {
  const isLarge = given.given['tree'] !== undefined || given.given['files'] !== undefined;
  const scratch = fs.mkdtempSync(path.join(temporary(isLarge), 'halter-conformance-'));
  openScratches.add(scratch);
  const ends: (() => void | Promise<void>)[] = [];
  try {
    return await play(setScene(given, scratch, options, (end) => void ends.push(end)));
  } finally {
    try {
      for (const end of ends.reverse()) await end();
    } finally {
      removeScratch(scratch);
    }
  }
};

const setScene = (given: AttackCase, scratch: string, options: SceneOptions, onEnd: Scene['onEnd']): Scene => {
  const home = path.join(scratch, 'home');
  const isHome = given.given['workspace'] === '$HOME';
  const root = isHome ? home : path.join(scratch, 'ws');
  const environment = { HOME: home, PATH: process.env['PATH'] ?? '/usr/bin:/bin', LANG: 'C.UTF-8' };
  const { config } = halterPaths(environment, process.platform);
  for (const folder of [home, root]) fs.mkdirSync(folder, { recursive: true });
  options.prepare?.(root);
  const filled = (value: JsonObject): JsonObject => asObject(withPlaces(expand(value), { scratch, home, config }));
  const parts = Object.fromEntries((['given', 'when', 'then'] as const).map((part) => [part, filled(given[part])]));
  const attack: AttackCase = { ...given, ...parts };
  const scene: Scene = {
    scratch,
    home,
    config,
    root,
    attack,
    environment,
    before: new Map(),
    onEnd,
    async open(more = {}) {
      const opened = await openTestAgent({
        folder: root,
        environment,
        platform: process.platform,
        onWarning: () => {},
        ...more,
      });
      if (!opened.ok) throw new Unmet(`halter does not start: ${opened.error.message}`);
      onEnd(() => opened.value.close());
      return opened.value;
    },
  };
  for (const [word, value] of Object.entries(attack.given)) {
    const arrange = Object.hasOwn(ARRANGE, word) ? ARRANGE[word] : undefined;
    if (arrange) arrange(scene, value);
    else if (!options.also.includes(word)) throw new Unmet(`"given" has "${word}", which is not known`);
  }
  if (attack.given['tree'] === undefined) scene.before = filesBelow(scratch);
  return scene;
};
