/** Plays the cases about permission questions: a model asks for a call, and a person looks at the question. */

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, JsonValue } from '../../src/core/json.ts';
import { TERMINAL_LIMITS } from '../../src/terminal/limits.ts';
import { type AttackCase, asList, asObject, onlyKnown, rawJson, Unmet } from './attack-case.ts';
import { scriptedServer, serverToolNamed } from './mcp-settings.ts';
import { answer, type ScriptedCall } from './model-server.ts';
import { toolNamed } from './names.ts';
import { runProgram } from './run-program.ts';
import { type Scene, withScene } from './scene.ts';
import { openStage, type Stage, withoutLayout } from './stage.ts';

/** So low that a question of more than a few lines has to be read on. */
const LOW_ROWS = 18;
const KEYS: Readonly<Record<string, string>> = { ENTER: '\r', ESC: '\x1b', ESCAPE: '\x1b', SPACE: ' ', TAB: '\t' };
const TITLE = 'Permission Request';
const MORE = /\+\d+ more lines/;

type Shown = { stage: Stage; args: Record<string, JsonValue>; questionMs: number };
type Check = (expected: JsonValue, shown: Shown) => Promise<void> | void;

const decisions = (stage: Stage): string[] =>
  stage.log().flatMap((event) => (event.type === 'permission_resolved' ? [event.decision] : []));
const questionText = (stage: Stage): string => {
  const lines = stage.lines();
  return lines.slice(lines.findIndex((line) => line.includes(TITLE))).join('\n');
};
/** As long as a question waits before it takes a key, and a few frames more. */
const armed = (): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, TERMINAL_LIMITS.questionArmMs + TERMINAL_LIMITS.frameMs * 4));

/** The bottom of the screen as it was drawn last. */
const lastMore = (stage: Stage): boolean => {
  const lines = stage.lines();
  const last = lines.findLastIndex((line) => MORE.test(line));
  return last >= 0 && !lines.slice(last).some((line) => /Press 1, 2/.test(line));
};

const readToEnd = async (stage: Stage): Promise<void> => {
  for (let page = 0; page < TERMINAL_LIMITS.replayLines && lastMore(stage); page += 1) {
    stage.key(' ');
    await new Promise((resolve) => setTimeout(resolve, TERMINAL_LIMITS.frameMs * 2));
  }
};

const THEN: Readonly<Record<string, Check>> = {
  approve_blocked_until_fully_shown: async (expected, { stage }) => {
    if (lastMore(stage)) {
      stage.key('1');
      await armed();
      if ((decisions(stage).length === 0) !== expected) throw new Unmet('it was allowed before it was shown whole');
    }
    await readToEnd(stage);
    stage.key('1');
    if (!(await stage.until(() => decisions(stage).includes('allow_once'))))
      throw new Unmet('it cannot be allowed after it was shown whole');
  },
  content_lines_prefixed: (expected, { stage, args }) => {
    const content = String(args['content'] ?? '')
      .split('\n')
      .filter((line) => line.trim() !== '');
    const bare = stage.lines().find((line) => content.some((part) => line.startsWith(part)));
    if ((bare === undefined) !== expected) throw new Unmet(`a line of the content stands by itself: ${bare}`);
  },
  prompt_must_include: async (expected, { stage }) => {
    for (const part of asList(expected).map(String)) {
      const holds = (): boolean => withoutLayout(questionText(stage)).includes(withoutLayout(part));
      if (!(await stage.until(holds)))
        throw new Unmet(`${JSON.stringify(part)} is not in the question: ${questionText(stage).slice(0, 600)}`);
    }
  },
  prompt_must_not_include_raw: (expected, { stage }) => {
    for (const part of asList(expected).map(String)) {
      if (stage.raw().includes(part)) throw new Unmet(`${JSON.stringify(part)} reached the terminal`);
    }
  },
  decision: (expected, { stage }) => {
    const [now = 'pending'] = decisions(stage);
    if (now !== expected) throw new Unmet(`the decision is ${now}, not ${JSON.stringify(expected)}`);
  },
  decision_not: (expected, { stage }) => {
    const refused = String(expected).split('_or_');
    const wrong = decisions(stage).find((decision) => refused.includes(decision));
    if (wrong !== undefined) throw new Unmet(`the decision is ${wrong}`);
  },
  note: () => {},
  max_ms: (expected, { questionMs }) => {
    if (questionMs > Number(expected)) throw new Unmet(`it took ${Math.round(questionMs)} ms`);
  },
  // The next call is asked about again, although the one before was allowed for the session.
  call_1: async (expected, { stage }) => {
    if (expected !== 'prompt_again') throw new Unmet(`${JSON.stringify(expected)} is not known`);
    if (!(await stage.until(() => asked(stage) >= 2))) throw new Unmet('the second call is not asked about');
  },
  executed_equals_shown: async (expected, { stage, args }) => {
    const shown = withoutLayout(questionText(stage));
    stage.key('1');
    await stage.idle();
    const ran = stage
      .log()
      .flatMap((event) =>
        event.type === 'assistant_message_added' ? event.message.tool_calls.map((call) => call.arguments) : [],
      );
    const finished = stage.log().filter(({ type }) => type === 'tool_finished').length;
    const isSame = finished === 1 && isDeepStrictEqual(ran[0], args);
    const isShown = Object.values(args).every((value) => shown.includes(withoutLayout(String(value))));
    if ((isSame && isShown) !== expected)
      throw new Unmet(`what ran is ${JSON.stringify(ran)}, shown was ${shown.slice(0, 300)}`);
  },
};
const asked = (stage: Stage): number => stage.log().filter(({ type }) => type === 'permission_requested').length;
/** Answering comes last: a question that is answered is gone. */
const ORDER = ['max_ms', 'prompt_must_not_include_raw', 'decision', 'decision_not', 'content_lines_prefixed'];

const scriptedCall = (call: JsonObject, index: number): ScriptedCall => ({
  id: `c${index + 1}`,
  name: toolNamed(call['tool']).name,
  arguments: JSON.stringify(call['args'] ?? {}),
});

/** Whoever was told of the call writes into the arguments that it was told. */
const changeLater = (stage: Stage): void => {
  for (const update of stage.told) {
    const calls = update.type === 'assistant_message_added' ? update.message.tool_calls : [];
    for (const { arguments: args } of calls) for (const key of Object.keys(args)) Reflect.set(args, key, 'changed');
  }
};

const ANSWERS: Readonly<Record<string, 'allow_once' | 'session' | 'remember' | 'deny'>> = {
  once: 'allow_once',
  session: 'session',
  remember: 'remember',
  deny: 'deny',
};

/** The person answers the question about the call of that number, counted from 0. */
const answerCall = async (stage: Stage, when: JsonObject): Promise<void> => {
  const decision = Object.hasOwn(ANSWERS, String(when['user'])) ? ANSWERS[String(when['user'])] : undefined;
  if (decision === undefined) throw new Unmet(`the answer ${JSON.stringify(when['user'])} is not known`);
  if (!(await stage.decide(`c${Number(when['for_call'] ?? 0) + 1}`, decision)))
    throw new Unmet('the answer is refused');
};

/** Nobody is asked about a file that is not there, so the one that the case asks about is made. */
const putFileToRead = (scene: Scene, args: JsonObject): void => {
  if (typeof args['path'] !== 'string') return;
  const file = path.resolve(scene.root, args['path']);
  if (!file.startsWith(`${scene.root}${path.sep}`) || existsSync(file)) return;
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, 'text\n');
  } catch {
    // A name that no file can have is asked about as it is, or not at all.
  }
};

/** The program itself, asked to call a tool, with nobody at its end of the pipe. */
const withoutInput = async (scene: Scene): Promise<void> => {
  const { given, then, when } = scene.attack;
  onlyKnown('then', then, ['decision', 'max_ms']);
  onlyKnown('when', when, ['tool', 'args']);
  if (given['stdin'] !== 'EOF') throw new Unmet(`stdin ${JSON.stringify(given['stdin'])} is not known`);
  const { name } = toolNamed(when['tool']);
  const ran = await runProgram(scene, ['tools', 'call', name, JSON.stringify(when['args'] ?? {})], '');
  const word = ran.status === 0 ? 'allow' : 'deny';
  if (then['decision'] !== word) throw new Unmet(`the decision is ${word}: ${ran.stderr.slice(0, 300)}`);
  if (then['max_ms'] !== undefined && ran.tookMs > Number(then['max_ms']))
    throw new Unmet(`it took ${Math.round(ran.tookMs)} ms`);
};

/** A server with that one tool, which takes the arguments of the case. */
const serverOf = (scene: Scene, { server, tool }: { server: string; tool: string }) => {
  const properties = Object.fromEntries(Object.keys(asObject(scene.attack.when['args'])).map((name) => [name, {}]));
  return scriptedServer(scene, server, { tools: [{ name: tool, inputSchema: { type: 'object', properties } }] });
};

export const playPrompt = async (attack: AttackCase): Promise<void> => {
  if (attack.given['stdin'] !== undefined) return withScene(attack, { also: ['permission', 'stdin'] }, withoutInput);
  const calls = asList(attack.given['calls']).map(asObject);
  const [firstCall] = calls;
  const called = firstCall ?? attack.when;
  const ofServer = serverToolNamed(called['tool']);
  const name = ofServer ? String(called['tool']) : toolNamed(called['tool']).name;
  await withScene(
    attack,
    { also: ['permission', 'keys_typed_before_prompt', 'calls', 'changed_between_show_and_run'] },
    async (scene) => {
      const { given, then, when } = scene.attack;
      onlyKnown('when', when, ['tool', 'args', 'user_key', 'user', 'for_call']);
      onlyKnown('then', then, Object.keys(THEN));
      if (given['permission'] !== 'ask')
        throw new Unmet(`the permission ${JSON.stringify(given['permission'])} is not known`);
      const { args = {} } = firstCall ?? when;
      const text = rawJson(args) ?? JSON.stringify(args);
      const scripted = calls.length > 0 ? calls.map(scriptedCall) : [{ id: 'c1', name, arguments: text }];
      const isLow = then['approve_blocked_until_fully_shown'] !== undefined;
      const stage = await openStage(scene, {
        script: (number) => (number === 0 ? answer([], scripted) : answer(['done'])),
        ...(isLow ? { rows: LOW_ROWS } : {}),
        ...(ofServer ? { mcp: { servers: serverOf(scene, ofServer) } } : {}),
      });
      if (name === 'read_file') putFileToRead(scene, asObject(args));
      const early = String(given['keys_typed_before_prompt'] ?? '');
      await stage.send('go');
      if (then['max_ms'] !== undefined) await stage.until(() => asked(stage) > 0);
      const askedAt = performance.now();
      if (early !== '') await stage.until(() => stage.log().some((event) => event.type === 'permission_requested'));
      // A key may be a sequence of several characters.
      for (const key of early.match(/\x1b\[[0-9;]*[A-Za-z~]|[\s\S]/gu) ?? []) stage.key(key);
      if (!(await stage.until(() => stage.lines().some((line) => line.includes(TITLE)))))
        throw new Unmet('no question was put');
      const questionMs = performance.now() - askedAt;
      await armed();
      // What a later message says of the call changes nothing: the arguments that were shown are kept.
      if (given['changed_between_show_and_run'] === true) changeLater(stage);
      if (when['user'] !== undefined) await answerCall(stage, when);
      const key = when['user_key'];
      if (key !== undefined) {
        const named = String(key).toUpperCase();
        const data = Object.hasOwn(KEYS, named) ? KEYS[named] : String(key).length === 1 ? String(key) : undefined;
        if (data === undefined) throw new Unmet(`the key ${JSON.stringify(key)} is not known`);
        stage.key(data);
        await armed();
      }
      const shown: Shown = { stage, args: asObject(args), questionMs };
      for (const word of [
        ...ORDER,
        ...Object.keys(then)
          .filter((word) => !ORDER.includes(word))
          .sort(),
      ]) {
        const expected = then[word];
        if (expected !== undefined) await THEN[word]?.(expected, shown);
      }
    },
  );
};
