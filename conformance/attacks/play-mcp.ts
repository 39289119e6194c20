/** Plays the cases about MCP servers: a scripted server on its pipes, halter as it is, and a person in front of it. */
import fs from 'node:fs';
import path from 'node:path';
import type { Agent } from '../../src/agent/create-agent.ts';
import type { JsonValue } from '../../src/core/json.ts';
import { MCP_LIMITS } from '../../src/mcp/limits.ts';
import { createTrustFile } from '../../src/storage/trust-file.ts';
import { BUILT_IN_TOOLS } from '../../src/tools/index.ts';
import { type AttackCase, asList, asObject, hold, onlyKnown, Unmet } from './attack-case.ts';
import { heard, openWithServer, SERVER, type Seen, settingsFor, stageWith, toolOf } from './mcp-scene.ts';
import { answer } from './model-server.ts';
import { accepts } from './names.ts';
import { withLogin } from './play-mcp-login.ts';
import { withQuestion, withSlowStart } from './play-mcp-questions.ts';
import { type Scene, withScene } from './scene.ts';
import { openStage, type Stage } from './stage.ts';

const TAG_CHARACTERS = /[\u{E0000}-\u{E007F}]/u;
const GIVEN = [
  'server_tools',
  'approved_description',
  'later_description',
  'trusted',
  'annotations',
  'server',
  'description',
  'inputSchema',
  'env',
  'result',
  'tools',
  'oauth_authorization_url',
  'list_changed',
  'response_id',
  'sampling_request',
  'elicitation_request',
  'roots_request',
];

const serverTools = (halter: Agent) => halter.tools.filter(({ name }) => name.startsWith(`mcp__${SERVER}__`));

/** A server of Node's own has to start first, from source. */
const SERVER_START_MS = 1_500;

type Check = (expected: JsonValue, seen: Seen) => void | Promise<void>;
/** What can be seen of the tools that a server brought. */
const SEEN: Readonly<Record<string, Check>> = {
  exposed_as: (expected, { halter }) => {
    const names = serverTools(halter).map(({ name }) => name);
    for (const name of asList(expected).map((part) => String(part).replace('<server>', SERVER)))
      hold(names.includes(name), `the tools are ${names.join(', ')}, and not ${name}`);
  },
  builtin_unchanged: (expected, { halter }) => {
    const isUnchanged = BUILT_IN_TOOLS.every((tool) => halter.tools.find(({ name }) => name === tool.name) === tool);
    hold(isUnchanged === expected, 'a built-in tool was replaced');
  },
  works: (expected, { halter }) =>
    hold(serverTools(halter).length > 0 === expected, 'the tools of the server are not there'),
  warnings_max: (expected, { warnings }) =>
    hold(warnings.length <= Number(expected), `${warnings.length} warnings: ${warnings.join('; ')}`),
  to_model_not_contains_tag_chars: (expected, { halter }) => {
    const text = JSON.stringify(
      serverTools(halter).map(({ description, parameters }) => ({ description, parameters })),
    );
    hold(!TAG_CHARACTERS.test(text) === expected, 'invisible tag characters reach the model');
  },
  ui_marks: (expected, { halter }) => {
    const isMarked = serverTools(halter).some(({ description }) => /invisible character/.test(description));
    hold(isMarked === expected, 'nothing says that something invisible was left out');
  },
  rejected: (expected, { halter, scene }) => {
    const given = asList(scene.attack.given['server_tools']).length;
    const rejected = given - serverTools(halter).length;
    hold(rejected === expected, `${rejected} of ${given} tools were left out`);
  },
  // What a model reads of: a server may have more, which are found by their words.
  exposed_max: async (expected, { scene }) => {
    const stage = await openStage(scene, { script: () => answer(['done']), mcp: { servers: settingsFor(scene) } });
    await stage.send('What can you do?');
    await stage.idle();
    const asked = JSON.stringify(stage.server.requests[0]?.body ?? '');
    const { size } = new Set(asked.match(new RegExp(`mcp__${SERVER}__[A-Za-z0-9_-]+`, 'g')));
    hold(size > 0 && size <= Number(expected), `a model reads of ${size} tools`);
  },
  message_contains: (expected, { warnings }) => {
    for (const part of asList(expected).map(String))
      hold(warnings.join('\n').includes(part), `${part} is not said: ${warnings.join('; ')}`);
  },
  max_ms: (expected, { milliseconds }) =>
    hold(milliseconds <= Number(expected) + SERVER_START_MS, `it took ${Math.round(milliseconds)} ms`),
  // That the checks are run says so.
  harness_alive: (expected) => hold(expected === true, 'it goes on'),
  requests_to: (expected, { connections }) => {
    for (const [host, count] of Object.entries(asObject(expected))) {
      const made = connections.filter((record) => record.host === host).length;
      hold(made === count, `${made} connections were made to ${host}`);
    }
  },
  rate_limited: async (expected, { halter, scene }) => {
    const asked = (): number => heard(scene).filter(({ method }) => method === 'tools/list').length;
    // All that it announced was heard when a call after it has its answer.
    const [tool] = serverTools(halter);
    hold(tool !== undefined, 'the tools of the server are not there');
    await halter.executeTool(tool?.name ?? '', {});
    const announced = Number(scene.attack.given['list_changed']);
    hold(
      asked() <= Math.max(3, announced / 100) === expected,
      `the tools were asked for ${asked()} times, after ${announced} announcements`,
    );
  },
  server_env_not_contains: (expected, { scene }) => {
    const environment = fs.readFileSync(path.join(scene.scratch, 'server-environment.json'), 'utf8');
    for (const part of asList(expected).map(String))
      hold(!environment.includes(part), `${part} is in the environment of the server`);
  },
};

const check = (seen: Seen): Promise<void> => checkSome(seen, []);

/** `others`: words that are somebody else's to check. */
const checkSome = async (seen: Seen, others: readonly string[]): Promise<void> => {
  const { then } = seen.scene.attack;
  onlyKnown('then', then, [...Object.keys(SEEN), ...others]);
  for (const [word, expected] of Object.entries(then)) if (!others.includes(word)) await SEEN[word]?.(expected, seen);
};

const byLook = async (scene: Scene): Promise<void> => {
  const seen = await openWithServer(scene);
  if (scene.attack.then['rejected'] === undefined)
    hold(serverTools(seen.halter).length > 0, `the server brought no tools: ${seen.warnings.join('; ')}`);
  await check(seen);
};

const isAsked = (stage: Stage): boolean => stage.log().some(({ type }) => type === 'permission_requested');
/** Allowed for good as it was; then the server describes it otherwise. */
const changedLater = async (scene: Scene): Promise<void> => {
  const { given, then } = scene.attack;
  onlyKnown('then', then, ['decision', 'shows_diff']);
  const tool = toolOf(scene);
  const first = await stageWith(scene, settingsFor(scene), tool);
  await first.send('go');
  hold(await first.until(() => isAsked(first)), 'the first call is not asked about');
  const resolved = await first.remember('c1');
  hold(resolved, 'the first call cannot be allowed for good');
  await first.idle();
  await first.close();
  await first.halter.close();

  const again = await stageWith(scene, settingsFor(scene), tool);
  await again.send('go');
  await again.idle();
  hold(!isAsked(again), 'a tool that did not change is asked about again');
  await again.close();
  await again.halter.close();

  const description = String(given['later_description']);
  const servers = settingsFor(scene, {
    tools: [{ name: tool.split('__').at(-1) ?? '', description, inputSchema: { type: 'object', properties: {} } }],
  });
  const later = await stageWith(scene, servers, tool);
  await later.send('go');
  const asks = await later.until(() => isAsked(later) || later.log().some(({ type }) => type === 'run_completed'));
  hold(asks && isAsked(later), 'the tool that changed is not asked about');
  hold(then['decision'] === 'prompt_again', `the decision ${JSON.stringify(then['decision'])} is not known`);
  const isShown = await later.until(() => later.lines().some((line) => line.includes(`+${description.slice(0, 30)}`)));
  hold(
    isShown === (then['shows_diff'] ?? true),
    `the question does not show what changed: ${later.lines().join('\n')}`,
  );
};

const byCall = async (scene: Scene): Promise<void> => {
  const { given, then } = scene.attack;
  if (given['later_description'] !== undefined) return changedLater(scene);
  const seen = await openWithServer(scene);
  await checkSome(seen, [
    ...['decision', 'error_type', 'harness_alive', 'max_ms', 'to_model_bytes_max', 'ignored', 'timeout_applies'],
  ]);
  const tool = toolOf(scene);
  if (then['decision'] !== undefined) {
    const judged = await seen.halter.judge(tool, {});
    if (judged.kind !== 'evaluated') throw new Unmet(judged.message);
    const word = judged.verdict === 'ask' ? 'prompt' : judged.verdict;
    hold(accepts(then['decision'], { word, risk: judged.risk }), `the decision is ${word}`);
    return;
  }
  await seen.halter.close();
  const stage = await stageWith(scene, settingsFor(scene), tool, [tool]);
  const started = performance.now();
  await stage.send('go');
  // Arguments that do not fit the server's own schema go back to the model, and no call is made.
  const finished = () =>
    stage.log().find((event) => event.type === 'tool_finished' || event.type === 'arguments_rejected');
  await stage.until(() => finished() !== undefined, CALL_MS);
  const milliseconds = performance.now() - started;
  const event = finished();
  if (event?.type !== 'tool_finished' && event?.type !== 'arguments_rejected') throw new Unmet('the call does not end');
  const { error_type } = event.result;
  if (then['error_type'] !== undefined) hold(error_type === then['error_type'], `error_type is ${error_type}`);
  if (then['max_ms'] !== undefined) hold(milliseconds <= Number(then['max_ms']), `it took ${milliseconds} ms`);
  if (then['ignored'] !== undefined)
    hold(!event.result.success === then['ignored'], 'an answer to what nobody asked is the result');
  if (then['timeout_applies'] !== undefined)
    hold(
      (event.result.metadata.reason === 'timeout') === then['timeout_applies'],
      `the call ended as ${event.result.metadata.reason}: ${event.result.error_message}`,
    );
  await stage.idle();
  const isAlive = stage.log().some(({ type }) => type === 'run_completed');
  if (then['harness_alive'] !== undefined) hold(isAlive === then['harness_alive'], 'the conversation did not go on');
  if (then['to_model_bytes_max'] === undefined) return;
  const asked = stage.server.requests.at(-1)?.body;
  const sent = asList(asObject(asked)['messages']).map(asObject);
  const result = sent.find(({ role }) => role === 'tool');
  hold(result !== undefined, 'the model got no result');
  const bytes = Buffer.byteLength(String(result?.['content']));
  hold(bytes <= Number(then['to_model_bytes_max']), `the model got ${bytes} bytes`);
};

/** halter starts in a folder that names a server of its own. */
const atStart = async (scene: Scene): Promise<void> => {
  const { given, then } = scene.attack;
  onlyKnown('then', then, ['canary_absent', 'prompt_shows']);
  if (given['trusted'] === true) await createTrustFile({ folder: scene.config }).trust(scene.root);
  const shown: string[] = [];
  const halter = await scene.open({
    mcp: {
      files: true,
      async consent(question) {
        shown.push(question.shown);
        return false;
      },
    },
  });
  await halter.mcp.open();
  const isAbsent = !fs.existsSync(path.join(scene.root, 'CANARY'));
  if (then['canary_absent'] !== undefined)
    hold(isAbsent === then['canary_absent'], 'the server of the folder was started');
  for (const part of asList(then['prompt_shows']).map(String))
    hold(
      shown.includes(part) || shown.some((text) => text.includes(part)),
      `the question shows ${JSON.stringify(shown)}`,
    );
};

/** A call may take as long as halter waits for a server. */
const CALL_MS = MCP_LIMITS.mcpCallTimeoutMs + 15_000;

const playFor = ({ given, when }: AttackCase): ((scene: Scene) => Promise<void>) => {
  if (when['start']) return atStart;
  if (when['server_asks'] !== undefined) return withQuestion;
  if (given['oauth_authorization_url'] !== undefined) return withLogin;
  if (when['connect'] !== undefined) return withSlowStart;
  return when['call'] === undefined && when['call_args'] === undefined ? byLook : byCall;
};

export const playMcp = async (attack: AttackCase): Promise<void> => {
  onlyKnown('when', attack.when, ['list', 'call', 'call_args', 'start', 'spawn', 'connect', 'server_asks']);
  onlyKnown('given', attack.given, [...GIVEN, 'project_file']);
  const play = playFor(attack);
  await withScene(attack, { also: GIVEN }, play);
};
