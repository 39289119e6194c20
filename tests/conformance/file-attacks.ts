/**
 * The one adapter from the catalogue's words to halter's tools, for the groups that concern files: it lays out what a
 * case is given, calls the tool through the same validation and runner as everybody, and checks what must then hold.
 */
import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished, type TestContext as Test } from 'vitest';
import type { ToolResult } from '../../src/core/tool-result.ts';
import { BUILT_IN_TOOLS } from '../../src/tools/index.ts';
import { callTool } from '../support/tool-context.ts';
import type { AttackCase } from './attack-cases.ts';
import { checkAttack, type Told } from './attack-checks.ts';
import { asList, asObject, type Scene, setScene } from './attack-scene.ts';

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

const has = (program: string): boolean => spawnSync(program, ['--version']).status === 0;

/** The command that puts a child into the bad place that a case asks for, or why that cannot be had here. */
const badPlace = (attack: AttackCase, root: string): { command: string[]; inside: boolean } | string | undefined => {
  const { disk_free_bytes, mount, run_as } = attack.given;
  const bind = ['bwrap', '--dev-bind', '/', '/'];
  if (disk_free_bytes !== undefined || mount !== undefined) {
    if (!has('bwrap')) return 'needs bubblewrap (apt-get install bubblewrap)';
    if (spawnSync('bwrap', [...bind.slice(1), 'true']).status !== 0) return 'bubblewrap may not be used here';
  }
  if (disk_free_bytes !== undefined)
    return { command: [...bind, '--size', String(disk_free_bytes), '--tmpfs', root], inside: true };
  if (mount === 'read-only') return { command: [...bind, '--ro-bind', root, root], inside: false };
  if (mount !== undefined) return `a mount "${String(mount)}" is not known`;
  if (run_as !== undefined) {
    if (process.getuid?.() !== 0) return undefined;
    if (!has('setpriv')) return 'needs setpriv (apt-get install util-linux)';
    return {
      command: [
        'setpriv',
        '--bounding-set=-dac_override,-dac_read_search',
        '--inh-caps=-dac_override,-dac_read_search',
      ],
      inside: false,
    };
  }
  return undefined;
};

const inBadPlace = (attack: AttackCase, scene: Scene, place: { command: string[]; inside: boolean }): Told => {
  const files = place.inside ? asObject(attack.given.file) : {};
  const started = performance.now();
  const [program = '', ...parameters] = place.command;
  const child = spawnSync(program, [...parameters, process.execPath, here('run-tool-in-child.ts')], {
    input: JSON.stringify({ root: scene.root, files, tool: attack.when.tool, args: scene.args }),
    encoding: 'utf8',
  });
  if (child.status !== 0) throw new Error(`the child failed: ${child.stderr}`);
  const told = JSON.parse(child.stdout) as Pick<Told, 'result' | 'names' | 'files'>;
  return { ...told, milliseconds: performance.now() - started, rssGrowth: 0 };
};

/** Calls again and again while another process swaps a link, and counts the answers that hold what lies outside. */
const whileSwapping = async (attack: AttackCase, scene: Scene, call: () => Promise<ToolResult>): Promise<Told> => {
  const [name = '', ...targets] = asList(asObject(attack.given.concurrent).swap_loop).map(String);
  const swapper = spawn(process.execPath, [
    here('swapper.mjs'),
    name.replace('$S', scene.scratch),
    ...targets.map((target) => target.replace('symlink→', '')),
  ]);
  onTestFinished(() => void swapper.kill());
  await new Promise((resolve) => swapper.stdout.once('data', resolve));
  const outside = [...scene.before]
    .filter(([file]) => !file.startsWith(`${scene.root}/`))
    .map(([, bytes]) => `${bytes}`);
  let leaks = 0;
  let result = await call();
  const reads = Number(attack.then.min_reads) * 5;
  for (let round = 0; round < reads; round += 1) {
    result = await call();
    if (outside.some((secret) => result.data?.includes(secret.trim()))) leaks += 1;
  }
  swapper.stdin.end();
  return { result, milliseconds: 0, rssGrowth: 0, leaks, reads };
};

/** Plays one case. Throws where it does not hold; skips, with the reason, where this machine cannot play it. */
export const playFileAttack = async (attack: AttackCase, test: Test): Promise<void> => {
  const tool = BUILT_IN_TOOLS.find((candidate) => candidate.name === attack.when.tool);
  if (tool === undefined) throw new Error(`there is no tool ${String(attack.when.tool)}`);
  const scene = await setScene(attack);
  const place = badPlace(attack, scene.root);
  if (typeof place === 'string') return test.skip(place);
  const call = (): Promise<ToolResult> => callTool(tool, scene.args, scene.context);
  if (place !== undefined) return checkAttack(attack, inBadPlace(attack, scene, place), scene);
  if (attack.given.concurrent !== undefined)
    return checkAttack(attack, await whileSwapping(attack, scene, call), scene);
  const rss = process.memoryUsage.rss();
  const started = performance.now();
  const result = await call();
  const milliseconds = performance.now() - started;
  checkAttack(attack, { result, milliseconds, rssGrowth: process.memoryUsage.rss() - rss }, scene);
};
