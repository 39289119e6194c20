/** Plays the cases about permission questions: a model asks for a call, and a person looks at the question. */

import type { JsonValue } from '../../src/core/json.ts';
import { TERMINAL_LIMITS } from '../../src/terminal/limits.ts';
import { type AttackCase, asList, asObject, onlyKnown, rawJson, Unmet } from './attack-case.ts';
import { scriptedServer, serverToolNamed } from './mcp-settings.ts';
import { answer } from './model-server.ts';
import { toolNamed } from './names.ts';
import { type Scene, withScene } from './scene.ts';
import { openStage, type Stage, withoutLayout } from './stage.ts';

/** So low that a question of more than a few lines has to be read on. */
const LOW_ROWS = 18;
const KEYS: Readonly<Record<string, string>> = { ENTER: '\r', ESC: '\x1b', ESCAPE: '\x1b', SPACE: ' ', TAB: '\t' };
const TITLE = 'Permission Request';
const MORE = /\+\d+ more lines/;

type Shown = { stage: Stage; args: Record<string, JsonValue> };
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
};
/** Answering comes last: a question that is answered is gone. */
const ORDER = ['prompt_must_not_include_raw', 'decision', 'decision_not', 'content_lines_prefixed'];

/** A server with that one tool, which takes the arguments of the case. */
const serverOf = (scene: Scene, { server, tool }: { server: string; tool: string }) => {
  const properties = Object.fromEntries(Object.keys(asObject(scene.attack.when['args'])).map((name) => [name, {}]));
  return scriptedServer(scene, server, { tools: [{ name: tool, inputSchema: { type: 'object', properties } }] });
};

export const playPrompt = async (attack: AttackCase): Promise<void> => {
  const ofServer = serverToolNamed(attack.when['tool']);
  const name = ofServer ? String(attack.when['tool']) : toolNamed(attack.when['tool']).name;
  await withScene(attack, { also: ['permission', 'keys_typed_before_prompt'] }, async (scene) => {
    const { given, then, when } = scene.attack;
    onlyKnown('when', when, ['tool', 'args', 'user_key']);
    onlyKnown('then', then, Object.keys(THEN));
    if (given['permission'] !== 'ask')
      throw new Unmet(`the permission ${JSON.stringify(given['permission'])} is not known`);
    const text = rawJson(when['args']) ?? JSON.stringify(when['args']);
    const isLow = then['approve_blocked_until_fully_shown'] !== undefined;
    const stage = await openStage(scene, {
      script: (number) => (number === 0 ? answer([], [{ id: 'c1', name, arguments: text }]) : answer(['done'])),
      ...(isLow ? { rows: LOW_ROWS } : {}),
      ...(ofServer ? { mcp: { servers: serverOf(scene, ofServer) } } : {}),
    });
    const early = String(given['keys_typed_before_prompt'] ?? '');
    await stage.send('go');
    if (early !== '') await stage.until(() => stage.log().some((event) => event.type === 'permission_requested'));
    // A key may be a sequence of several characters.
    for (const key of early.match(/\x1b\[[0-9;]*[A-Za-z~]|[\s\S]/gu) ?? []) stage.key(key);
    if (!(await stage.until(() => stage.lines().some((line) => line.includes(TITLE)))))
      throw new Unmet('no question was put');
    await armed();
    const key = when['user_key'];
    if (key !== undefined) {
      const named = String(key).toUpperCase();
      const data = Object.hasOwn(KEYS, named) ? KEYS[named] : String(key).length === 1 ? String(key) : undefined;
      if (data === undefined) throw new Unmet(`the key ${JSON.stringify(key)} is not known`);
      stage.key(data);
      await armed();
    }
    const shown: Shown = { stage, args: asObject(when['args']) };
    for (const word of [
      ...ORDER,
      ...Object.keys(then)
        .filter((word) => !ORDER.includes(word))
        .sort(),
    ]) {
      const expected = then[word];
      if (expected !== undefined) await THEN[word]?.(expected, shown);
    }
  });
};
