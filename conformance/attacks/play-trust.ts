/** Plays the cases about which folder is trusted, and for which folder a remembered decision counts. */
import fs from 'node:fs';
import path from 'node:path';
import type { JsonObject, JsonValue } from '../../src/core/json.ts';
import { createTrustFile } from '../../src/storage/trust-file.ts';
import { asObject, hold, onlyKnown, Unmet } from './attack-case.ts';
import { answer } from './model-server.ts';
import { accepts, toolNamed } from './names.ts';
import type { Scene } from './scene.ts';
import { openStage } from './stage.ts';

/** A folder beside the workspace, with settings of its own. */
const place = (scene: Scene, name: JsonValue | undefined): string => {
  const folder = path.join(scene.scratch, String(name));
  fs.mkdirSync(path.join(folder, '.halter'), { recursive: true });
  fs.writeFileSync(path.join(folder, '.halter/config.json'), '{"max_iterations": 3}');
  return folder;
};

/** `trusted`: a folder that the person trusts; `symlink`: names that lead to others; `start_in`: where halter starts. */
export const byTrust = async (scene: Scene): Promise<void> => {
  const { given, then, when } = scene.attack;
  onlyKnown('given', given, ['trusted', 'symlink']);
  onlyKnown('when', when, ['start_in']);
  onlyKnown('then', then, ['trusted', 'trusted_by']);
  const links = Object.entries(asObject(given['symlink'])).map(([link, to]) => [link, String(to)] as const);
  const isLink = (name: string): boolean => links.some(([link]) => link === name);
  for (const [link, to] of links) {
    if (!isLink(to)) place(scene, to);
    // The scene made it as the case has it, with a target that begins at the root of the system.
    const file = path.join(scene.scratch, link);
    fs.rmSync(file, { force: true });
    fs.symlinkSync(path.join(scene.scratch, to), file);
  }
  const folderOf = (name: JsonValue | undefined): string =>
    isLink(String(name)) ? path.join(scene.scratch, String(name)) : place(scene, name);
  const trust = createTrustFile({ folder: scene.config });
  const trusted = folderOf(given['trusted']);
  hold((await trust.trust(trusted)).ok, 'the folder cannot be trusted');
  const start = folderOf(when['start_in']);
  const found = await trust.isTrusted(start);
  if (then['trusted'] !== undefined) hold(found.trusted === then['trusted'], `trusted is ${found.trusted}`);
  if (then['trusted_by'] === undefined) return;
  hold(then['trusted_by'] === 'realpath', `trust by ${JSON.stringify(then['trusted_by'])} is not known`);
  const isSame = fs.realpathSync(start) === fs.realpathSync(trusted);
  hold(found.trusted === isSame, `trusted is ${found.trusted}, and it is ${isSame ? 'the same' : 'another'} folder`);
  const written = fs.readFileSync(trust.path, 'utf8');
  hold(written.includes(JSON.stringify(fs.realpathSync(trusted))), `the real path was not kept: ${written}`);
};

/** A folder says that it is a worktree of a repository which the person trusts. */
export const withWorktree = async (scene: Scene): Promise<void> => {
  const { given, then, when } = scene.attack;
  onlyKnown('given', given, ['worktree_file']);
  onlyKnown('when', when, ['start']);
  onlyKnown('then', then, ['trusted']);
  const trust = createTrustFile({ folder: scene.config });
  for (const [name, content] of Object.entries(asObject(given['worktree_file']))) {
    const [, pointed = ''] = /^gitdir: (\S+)$/.exec(String(content).trim()) ?? [];
    if (!path.isAbsolute(pointed)) throw new Unmet(`a worktree file of ${JSON.stringify(content)} is not known`);
    const [repository = ''] = pointed.split('/.git/');
    const trusted = place(scene, repository);
    const gitdir = path.join(scene.scratch, pointed);
    fs.mkdirSync(gitdir, { recursive: true });
    fs.writeFileSync(path.join(gitdir, 'commondir'), '../..\n');
    fs.writeFileSync(path.join(gitdir, 'gitdir'), `${scene.root}/.git\n`);
    fs.writeFileSync(path.join(gitdir, 'HEAD'), 'ref: refs/heads/main\n');
    hold((await trust.trust(trusted)).ok, 'the folder cannot be trusted');
    fs.mkdirSync(path.dirname(path.join(scene.root, name)), { recursive: true });
    fs.writeFileSync(path.join(scene.root, name), `gitdir: ${gitdir}\n`);
  }
  fs.mkdirSync(path.join(scene.root, '.halter'), { recursive: true });
  fs.writeFileSync(path.join(scene.root, '.halter/config.json'), '{"max_iterations": 3}');
  const found = await trust.isTrusted(scene.root);
  hold(found.trusted === then['trusted'], `trusted is ${found.trusted}`);
};

const OTHER_PLACES: Readonly<Record<string, (scene: Scene) => string>> = {
  'another project': (scene) => path.join(scene.scratch, 'another'),
  'same project': (scene) => scene.root,
  'a folder below': (scene) => path.join(scene.root, 'below'),
  'the folder above': (scene) => scene.scratch,
  'a folder with the same beginning': (scene) => `${scene.root}-evil`,
};

/** `bash git status` → the tool and the arguments that the person once allowed for good. */
const rememberedCall = (words: JsonValue | undefined): { tool: string; args: JsonObject } => {
  const [, tool = '', rest] = /^(\S+)(?: (.+))?$/.exec(String(words)) ?? [];
  const { name, parameters } = toolNamed(tool);
  const [first = ''] = Array.isArray(parameters['required']) ? parameters['required'].map(String) : [];
  return { tool: name, args: rest === undefined ? {} : { [first]: rest } };
};

/** The person allows a call for good in one folder; halter starts again, there or elsewhere. */
export const afterRestart = async (scene: Scene): Promise<void> => {
  const { given, then, when } = scene.attack;
  onlyKnown('given', given, ['policy_remember']);
  onlyKnown('when', when, ['restart', 'tool', 'args', 'workspace']);
  onlyKnown('then', then, ['decision']);
  const { tool, args } = rememberedCall(given['policy_remember']);
  const call = { id: 'c1', name: tool, arguments: JSON.stringify(args) };
  const first = await openStage(scene, {
    script: (number) => (number === 0 ? answer([], [call]) : answer(['done'])),
    more: { sandbox: true },
  });
  await first.send('go');
  hold(
    await first.until(() => first.log().some(({ type }) => type === 'permission_requested')),
    'it is not asked about',
  );
  hold(await first.remember('c1'), 'it cannot be allowed for good');
  await first.idle();
  await first.close();
  await first.halter.close();
  const where = OTHER_PLACES[String(when['workspace'] ?? 'same project')];
  if (where === undefined) throw new Unmet(`the workspace ${JSON.stringify(when['workspace'])} is not known`);
  const folder = where(scene);
  fs.mkdirSync(folder, { recursive: true });
  const decide = async (at: string, name: string, words: JsonObject) => {
    const halter = await scene.open({ folder: at, sandbox: true });
    const judged = await halter.judge(name, words);
    await halter.close();
    if (judged.kind !== 'evaluated') throw new Unmet(judged.message);
    return { word: judged.verdict === 'ask' ? ('prompt' as const) : judged.verdict, risk: judged.risk };
  };
  // Otherwise nothing was remembered, and it would be no wonder that it does not count elsewhere.
  const there = await decide(scene.root, tool, args);
  hold(there.word !== 'prompt', 'what was allowed for good is asked about again in the same folder');
  const { name } = toolNamed(when['tool']);
  const decision = await decide(folder, name, asObject(when['args']));
  hold(accepts(then['decision'] ?? 'prompt', decision), `the decision is ${decision.word}`);
};
