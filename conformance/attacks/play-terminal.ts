/** Plays the cases about texts that want to steer the terminal: each comes in by the way that it names. */
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { escapeCharacter } from '../../src/core/invisible.ts';
import type { JsonValue } from '../../src/core/json.ts';
import { defineTool } from '../../src/core/tool/define-tool.ts';
import type { TestAgentOptions } from '../../src/testing/test-agent.ts';
import { type AttackCase, asList, onlyKnown, Unmet } from './attack-case.ts';
import { answer, MODEL, type Reply, startModelServer } from './model-server.ts';
import { runProgram } from './run-program.ts';
import { filesBelow, type Scene, UNNAMED_FILE, withScene } from './scene.ts';
import { openStage, type Stage, typeLine, withoutLayout } from './stage.ts';

/** What is looked at: a screen, or a text that somebody will print on one. */
type Looked = Pick<Stage, 'raw' | 'lines' | 'until'>;
type Played = { stage: Looked };

const looksAt = (raw: string): Looked => ({
  raw: () => raw,
  lines: () => raw.split(/\r?\n/),
  until: async (holds) => holds(),
});
const CTRL_O = '\x0f';
const SILENT = (): Reply => answer(['done']);

/** The model calls one tool, then says that it is done; the call's details are opened. */
const afterCall = async (
  scene: Scene,
  name: string,
  args: string,
  more: Partial<TestAgentOptions> = {},
): Promise<{ stage: Stage }> => {
  const script = (number: number): Reply =>
    number === 0 ? answer([], [{ id: 'c1', name, arguments: args }]) : answer(['done']);
  const stage = await openStage(scene, { allow: ['*'], script, more });
  await stage.send('go');
  await stage.idle();
  stage.key(CTRL_O);
  return { stage };
};

const planted = (scene: Scene, text: string): string => {
  fs.writeFileSync(path.join(scene.root, UNNAMED_FILE), text);
  return UNNAMED_FILE;
};

/** A page of that title is fetched. */
const afterPage = async (scene: Scene, title: string): Promise<Played> => {
  const site = http.createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(`<!doctype html><title>${title}</title><article><h1>${title}</h1><p>Some words.</p></article>`);
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  scene.onEnd(() => void site.close());
  const { port } = site.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/`;
  return afterCall(scene, 'web_fetch', JSON.stringify({ url }), { allowPrivate: [`127.0.0.1:${port}`] });
};

const said = async (scene: Scene, script: (number: number) => Reply, message = 'go'): Promise<Played> => {
  const stage = await openStage(scene, { script });
  await stage.send(message);
  await stage.idle();
  return { stage };
};

/** By which way the text comes to the screen. */
const SOURCES: Readonly<Record<string, (scene: Scene, pieces: string[], text: string) => Promise<Played>>> = {
  tool_output: (scene, _pieces, text) => {
    fs.writeFileSync(path.join(scene.root, UNNAMED_FILE), text);
    return afterCall(scene, 'read_file', JSON.stringify({ path: UNNAMED_FILE }));
  },
  file_name: (scene, _pieces, text) => {
    fs.writeFileSync(path.join(scene.root, text), '');
    return afterCall(scene, 'ls', '{"path":"."}');
  },
  model_text: (scene, _pieces, text) => said(scene, () => answer(text.match(/[\s\S]{1,2}/g) ?? [])),
  stream_split: (scene, pieces) => said(scene, () => answer(pieces)),
  provider_error: (scene, _pieces, text) =>
    said(scene, () => ({ status: 401, body: JSON.stringify({ error: { message: text } }) })),
  // A thing to do, beside the conversation and in its status.
  task_title: (scene, _pieces, text) => afterCall(scene, 'add_task', JSON.stringify({ content: text })),
  web_page_title: (scene, _pieces, text) => afterPage(scene, text),
  // The system's own words of a failed call hold the path that the model chose.
  error_path: (scene, _pieces, text) => afterCall(scene, 'read_file', JSON.stringify({ path: text })),
  log_file: async (scene, _pieces, text) => {
    const { stage } = await afterCall(scene, 'read_file', JSON.stringify({ path: planted(scene, text) }));
    await stage.close();
    const logs = [...filesBelow(scene.home)].filter(([file]) => file.startsWith(scene.home));
    return { stage: looksAt(logs.map(([, bytes]) => bytes.toString()).join('\n')) };
  },
  stdout_pipe: async (scene, _pieces, text) => {
    const server = await startModelServer(MODEL, () => answer(text.match(/[\s\S]{1,2}/g) ?? []));
    scene.onEnd(() => server.close());
    const reach = ['--provider', 'openai', '--base-url', server.baseUrl, '-m', MODEL];
    return { stage: looksAt((await runProgram(scene, ['run', 'go', ...reach])).stdout) };
  },
  argv_echo: (scene, _pieces, text) => said(scene, SILENT, text),
  mcp_tool_description: async (scene, _pieces, text) => {
    const parameters = { type: 'object', properties: {} };
    const tool = defineTool({ name: 'described', description: text, parameters, run: () => 'done' });
    const stage = await openStage(scene, { script: SILENT, moreTools: [tool] });
    typeLine(stage, '/tools ');
    return { stage };
  },
  session_replay: async (scene, _pieces, text) => {
    const first = await openStage(scene, { script: () => answer([text]) });
    await first.send(text);
    await first.idle();
    await first.close();
    const stage = await openStage(scene, { script: SILENT, sessionId: first.sessionId });
    return { stage };
  },
};

/**
 * What steers, cannot be seen or turns the reading order round, in halter's own notation. A tab may be shown as blanks,
 * and an emoji without the selector that only asks for its colour.
 */
const escaped = (text: string): string =>
  text
    .replaceAll(/(?<=\p{Extended_Pictographic})\ufe0f|\t/gu, '')
    .replaceAll(/[^\P{C}\n]|\p{Default_Ignorable_Code_Point}/gu, escapeCharacter);

type Check = (expected: JsonValue, stage: Looked, text: string) => Promise<void> | void;
/** A tool may have escaped a name for the model already, as JSON does it: that is the same text. */
const visible = (stage: Looked): string =>
  withoutLayout(stage.lines().join('\n')).replaceAll(/\\u([0-9a-f]{4})/gi, (_, hex: string) =>
    escapeCharacter(String.fromCharCode(Number.parseInt(hex, 16))),
  );

const THEN: Readonly<Record<string, Check>> = {
  same_text_still_available_escaped: async (expected, stage, text) => {
    // A listing may say the number of a line before it.
    const wanted = escaped(text).split('\n').map(withoutLayout);
    const missing = (): string | undefined =>
      wanted.find((line) => !visible(stage).replaceAll('\\t', '').includes(line));
    const isThere = await stage.until(() => missing() === undefined);
    if (isThere !== expected) throw new Unmet(`${JSON.stringify(missing())} is not on the screen: ${tail(stage)}`);
  },
  screen_must_contain: async (expected, stage) => {
    for (const part of asList(expected).map(String)) {
      const isThere = await stage.until(() => visible(stage).includes(withoutLayout(part)));
      if (!isThere) throw new Unmet(`${JSON.stringify(part)} is not on the screen: ${tail(stage)}`);
    }
  },
  raw_output_must_not_contain: (expected, stage) => {
    for (const part of asList(expected).map(String)) {
      if (stage.raw().includes(part)) throw new Unmet(`${JSON.stringify(part)} reached the terminal`);
    }
  },
};
/** What is to be waited for comes first. */
const ORDER = Object.keys(THEN);

const tail = (stage: Looked): string =>
  stage
    .lines()
    .filter((line) => line !== '')
    .slice(-12)
    .join(' / ')
    .slice(-500);

export const playTerminal = (attack: AttackCase): Promise<void> =>
  withScene(attack, { also: ['source', 'text'] }, async (scene) => {
    const { given, then, when } = scene.attack;
    onlyKnown('when', when, ['render', 'surface']);
    onlyKnown('then', then, ORDER);
    if (when['render'] !== 'tui') throw new Unmet(`rendering on ${JSON.stringify(when['render'])} is not known`);
    const source = String(given['source']);
    const show = Object.hasOwn(SOURCES, source) ? SOURCES[source] : undefined;
    if (show === undefined) throw new Unmet(`the source ${JSON.stringify(source)} is not known`);
    const pieces = asList(given['text']).map(String);
    const text = pieces.join('');
    const { stage } = await show(scene, pieces, text);
    for (const word of ORDER) {
      const expected = then[word];
      if (expected !== undefined) await THEN[word]?.(expected, stage, text);
    }
  });
