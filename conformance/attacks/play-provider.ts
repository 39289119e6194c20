/** Plays the cases about model servers that fail, lie or say nothing: a real session asks one that does. */

import http, { type IncomingHttpHeaders } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import type { EventOf } from '../../src/core/events.ts';
import type { JsonObject, JsonValue } from '../../src/core/json.ts';
import { PROVIDER_LIMITS } from '../../src/providers/limits.ts';
import { CONFIG_KEYS } from '../../src/storage/config-file.ts';
import { TERMINAL_LIMITS } from '../../src/terminal/limits.ts';
import { type AttackCase, asList, asObject, CannotRun, hold, onlyKnown, Unmet } from './attack-case.ts';
import { answer, type Reply, type ScriptedCall } from './model-server.ts';
import { playUnreachable, UNREACHABLE } from './play-unreachable.ts';
import { runProgram } from './run-program.ts';
import { type Scene, withScene } from './scene.ts';
import { openStage, type Stage, withoutLayout } from './stage.ts';

type Told = {
  stage: Stage;
  cancelledAfterMs?: number;
  milliseconds: number;
  rssGrowth: number;
  /** What came at the server that the first one names in a redirect. */
  elsewhere: IncomingHttpHeaders[];
};
type Check = (expected: JsonValue, told: Told) => void;

type Facts =
  | 'tool_started'
  | 'tool_finished'
  | 'assistant_message_added'
  | 'model_failed'
  | 'run_stopped'
  | 'arguments_rejected';
const events = <Type extends Facts>({ stage }: Told, type: Type): EventOf<Type>[] =>
  stage.log().filter((event) => event.type === type) as unknown as EventOf<Type>[];
const warnings = ({ stage }: Told): string[] =>
  stage.told.flatMap((update) => (update.seq === undefined && update.type === 'warning' ? [update.message] : []));
const messages = (told: Told): string =>
  [
    ...warnings(told),
    ...events(told, 'model_failed').map(({ message, hint }) => `${message} ${hint ?? ''}`),
    ...events(told, 'run_stopped').map(({ message }) => message),
  ].join('\n');
const refusals = (told: Told) => [
  ...events(told, 'arguments_rejected').map(({ result }) => result),
  ...events(told, 'tool_finished')
    .map(({ result }) => result)
    .filter(({ success }) => !success),
];
const gaps = ({ stage }: Told): number[] =>
  stage.server.requests.slice(1).map(({ at }, index) => at - (stage.server.requests[index]?.at ?? at));
const answers = (told: Told): string[] => events(told, 'assistant_message_added').map(({ message }) => message.content);
const startedByTurn = (told: Told): number[] => {
  const counts: number[] = [];
  for (const { type } of told.stage.log()) {
    if (type === 'assistant_message_added') counts.push(0);
    if (type === 'tool_started') counts[counts.length - 1] = (counts.at(-1) ?? 0) + 1;
  }
  return counts;
};
const announcedWaits = (told: Told): number[] =>
  [
    ...warnings(told)
      .join('\n')
      .matchAll(/in ([\d.]+) s\b/g),
  ].map(([, seconds]) => Number(seconds) * 1_000);

const THEN: Readonly<Record<string, Check>> = {
  message_contains: (expected, told) => {
    for (const part of asList(expected).map(String))
      hold(messages(told).toLowerCase().includes(part.toLowerCase()), `no message holds ${part}: ${messages(told)}`);
  },
  final_error_contains: (expected, told) => {
    const last = events(told, 'model_failed').at(-1)?.message ?? '';
    for (const part of asList(expected).map(String)) hold(last.includes(part), `the last error is ${last}`);
  },
  message_not_contains: (expected, told) => {
    const all = `${messages(told)}${told.stage.raw()}${JSON.stringify(told.stage.log())}`;
    for (const part of asList(expected).map(String)) hold(!all.includes(part), `${part} is told`);
  },
  requests: (expected, { stage }) => {
    const { length } = stage.server.requests;
    hold(length === expected, `there were ${length} requests`);
  },
  requests_max: (expected, { stage }) => {
    const { length } = stage.server.requests;
    hold(length <= Number(expected), `there were ${length} requests`);
  },
  second_after_ms_min: (expected, told) => {
    const [first = 0] = gaps(told);
    hold(first >= Number(expected), `the second request came after ${Math.round(first)} ms`);
  },
  backoff: (expected, told) => {
    hold(
      expected === 'exponential+jitter' || expected === 'default',
      `the backoff ${JSON.stringify(expected)} is not known`,
    );
    const all = gaps(told);
    const grow = all.every((gap, index) => index === 0 || gap > (all[index - 1] ?? 0));
    hold(all.length > 0 && grow, `the waits are ${all.map(Math.round).join(', ')} ms`);
    hold(new Set(all.map(Math.round)).size === all.length, 'the waits are all alike');
  },
  ui_shows_wait: (expected, told) => {
    const screen = withoutLayout(told.stage.lines().join('\n'));
    const isShown =
      announcedWaits(told).length > 0 && warnings(told).every((text) => screen.includes(withoutLayout(text)));
    hold(isShown === expected, `the wait is not on the screen: ${warnings(told).join(' ')}`);
  },
  wait_capped_ms: (expected, told) => {
    const waits = announcedWaits(told);
    // One that gives up at once does not wait at all.
    const isCapped = waits.length > 0 || (hasFailed(told) && told.milliseconds <= Number(expected));
    hold(isCapped && waits.every((wait) => wait <= Number(expected)), `the waits are ${waits.join(', ')} ms`);
  },
  partial_kept: (expected, { stage }) =>
    hold(withoutLayout(stage.lines().join('\n')).includes(withoutLayout(String(expected))), 'the part is gone'),
  tool_calls_executed: (expected, told) => {
    const { length } = events(told, 'tool_started');
    hold(length === expected, `${length} calls were executed`);
  },
  executed_max: (expected, told) => {
    const { length } = events(told, 'tool_started');
    hold(length <= Number(expected), `${length} calls were executed`);
  },
  calls_per_iteration_max: (expected, told) => {
    const most = Math.max(0, ...startedByTurn(told));
    hold(most <= Number(expected), `${most} calls ran in one iteration`);
  },
  iterations: (expected, told) => {
    const { length } = events(told, 'assistant_message_added');
    hold(length === expected, `there were ${length} iterations: ${messages(told)}`);
  },
  rest_error: (expected, told) => {
    const rest = refusals(told);
    const fits = rest.filter((result) => result.error_message?.includes(String(expected)));
    hold(rest.length > 0 && fits.length === rest.length, `the rest is told: ${rest[0]?.error_message}`);
  },
  error_to_model: (expected, told) => {
    const types = refusals(told).map(({ error_type }) => error_type);
    hold(
      types.length > 0 && types.every((type) => type === expected),
      `the model is told ${types.join(', ') || 'nothing'}`,
    );
  },
  correction_rounds_max: (expected, told) => {
    const rounds = told.stage.server.requests.length - 1;
    hold(rounds <= Number(expected), `there were ${rounds} rounds`);
  },
  answer: (expected, told) =>
    hold(answers(told).at(-1) === expected, `the answer is ${JSON.stringify(answers(told).at(-1))}`),
  answer_empty: (expected, told) =>
    hold(answers(told).every((text) => text === '') === expected, `there is an answer: ${answers(told).join(' ')}`),
  warnings: (expected, told) =>
    hold(warnings(told).length === expected, `the warnings are: ${warnings(told).join(' ')}`),
  results: (expected, told) => {
    const { length } = events(told, 'tool_finished');
    hold(length === expected, `there are ${length} results`);
  },
  ids_unique_in_reply: (expected, { stage }) => {
    const sent = asList(asObject(stage.server.requests[1]?.body)['messages']).map(asObject);
    const ids = sent.flatMap((message) => (message['role'] === 'tool' ? [message['tool_call_id']] : []));
    hold(ids.length > 0 && (new Set(ids).size === ids.length) === expected, `the ids are ${ids.join(', ')}`);
  },
  id_generated: (expected, told) => {
    const ids = events(told, 'assistant_message_added').flatMap(({ message }) =>
      message.tool_calls.map(({ id }) => id),
    );
    hold((ids.length > 0 && ids.every((id) => id !== '')) === expected, `the ids are ${ids.join(', ')}`);
  },
  error_to_model_in: (expected, told) => {
    const types = refusals(told).map(({ error_type }) => error_type);
    const fit = types.length > 0 && types.every((type) => asList(expected).includes(type));
    hold(fit, `the model is told ${types.join(', ') || 'nothing'}`);
  },
  identical_failing_calls_max: (expected, told) => {
    const failed = events(told, 'tool_finished').filter(({ result }) => !result.success).length;
    hold(failed <= Number(expected), `${failed} calls failed alike`);
  },
  authorization_forwarded: (expected, told) => {
    hold(
      told.stage.server.requests.some(({ headers }) => headers.authorization !== undefined),
      'no key was sent at all',
    );
    const isForwarded = told.elsewhere.some(({ authorization }) => authorization !== undefined);
    hold(isForwarded === expected, 'the key went to another origin');
  },
  rss_growth_mb_max: (expected, { rssGrowth }) =>
    hold(rssGrowth / 1024 ** 2 <= Number(expected), `memory grew by ${Math.round(rssGrowth / 1024 ** 2)} MB`),
  error: (expected, told) => {
    const words = String(expected).toLowerCase().split(' ');
    const text = messages(told).toLowerCase();
    hold(
      words.every((word) => text.includes(word)),
      `the error is: ${messages(told)}`,
    );
  },
  idle_timeout_ms_max: (expected) =>
    hold(
      PROVIDER_LIMITS.modelSilenceTimeoutMs <= Number(expected),
      `silence is borne for ${PROVIDER_LIMITS.modelSilenceTimeoutMs} ms`,
    ),
  cancel_ms_max: (expected, told) => {
    const took = told.cancelledAfterMs ?? Number.POSITIVE_INFINITY;
    hold(took <= Number(expected), `cancelling took ${Math.round(took)} ms`);
  },
  max_ms: (expected, told) =>
    hold(told.milliseconds <= Number(expected), `it took ${Math.round(told.milliseconds)} ms`),
  timeout_configurable: (expected) =>
    hold(
      Object.keys(CONFIG_KEYS).some((key) => key.includes('timeout')) === expected,
      'halter has no setting for it yet',
    ),
  stack_trace: (expected, told) => {
    const all = `${messages(told)}\n${told.stage.lines().join('\n')}`;
    hold(/^\s+at \S.*:\d+:\d+/m.test(all) === expected, `a stack trace is shown: ${all.slice(-600)}`);
  },
  // That the checks are run says so.
  crash: (expected) => hold(expected === false, 'it did not crash'),
};

const callsOf = (message: JsonObject): ScriptedCall[] =>
  asList(message['tool_calls']).map((entry) => {
    const { id, function: called } = asObject(entry);
    const { name, arguments: text } = asObject(called);
    const args = typeof text === 'string' ? text : asObject(text);
    return { name: String(name), arguments: args, ...(typeof id === 'string' ? { id } : {}) };
  });

const SERVER_WORDS = ['status', 'headers', 'body', 'stream', 'message', 'always', 'delay_headers_s', 'location'];

/** What the server says to the question of that number. */
const scriptOf = (server: JsonObject): ((number: number) => Reply) => {
  onlyKnown('server', server, SERVER_WORDS);
  const location: Record<string, string> =
    server['location'] === undefined ? {} : { Location: String(server['location']) };
  const headers: Record<string, string> = { ...(asObject(server['headers']) as Record<string, string>), ...location };
  if (server['message'] !== undefined)
    return (number) => answer(number === 0 ? [] : ['done'], number === 0 ? callsOf(asObject(server['message'])) : []);
  if (server['always'] !== undefined) return () => answer([], callsOf(asObject(server['always'])));
  if (server['stream'] !== undefined) {
    const stream = asList(server['stream']).map(String);
    return () => ({ stream });
  }
  const delayMs = Number(server['delay_headers_s'] ?? 0) * 1_000;
  const status = Number(server['status']);
  const reply: Reply = { status, headers, body: String(server['body'] ?? ''), ...(delayMs > 0 ? { delayMs } : {}) };
  // Who says in how many seconds to come again has an answer then.
  const isTold = /^\d+$/.test(headers['Retry-After'] ?? '');
  return (number) => (isTold && number > 0 ? answer(['done']) : reply);
};

export const playProvider = (attack: AttackCase): Promise<void> =>
  withScene(attack, { also: ['server'] }, async (scene) => {
    const { given, then, when } = scene.attack;
    onlyKnown('when', when, ['user']);
    const server = { ...asObject(given['server']) };
    if (server['tcp'] !== undefined) return noServer(scene, server);
    if (UNREACHABLE.some((word) => server[word] !== undefined)) return playUnreachable(scene, server);
    const elsewhere: IncomingHttpHeaders[] = [];
    // Another origin, on this machine.
    if (server['location'] !== undefined)
      server['location'] = await otherOrigin(scene, String(server['location']), elsewhere);
    onlyKnown('then', then, Object.keys(THEN));
    const stage = await openStage(scene, {
      allow: ['*'],
      script: scriptOf(server),
      more: { apiKey: 'sk-of-this-case' },
    });
    const rss = process.memoryUsage.rss();
    const started = performance.now();
    await stage.send(String(when['user']));
    const told: Told = { stage, milliseconds: 0, rssGrowth: 0, elsewhere };
    const isStopped = then['cancel_ms_max'] !== undefined || then['wait_capped_ms'] !== undefined;
    if (isStopped) {
      const isWaiting = (): boolean => stage.server.requests.length > 0 && isUnderWay(told, server);
      if (!(await stage.until(isWaiting))) throw new Unmet('the model was never asked');
      await frames();
      const from = performance.now();
      await stage.cancel();
      told.cancelledAfterMs = performance.now() - from;
    } else await stage.idle();
    told.milliseconds = performance.now() - started;
    told.rssGrowth = process.memoryUsage.rss() - rss;
    // A few more, so that the end is on the screen.
    await frames();
    for (const [word, expected] of Object.entries(then)) THEN[word]?.(expected, told);
  });

const otherOrigin = async (scene: Scene, location: string, met: IncomingHttpHeaders[]): Promise<string> => {
  const other = http.createServer((request, response) => {
    met.push(request.headers);
    response.end();
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  scene.onEnd(() => void other.close());
  return `http://127.0.0.1:${(other.address() as AddressInfo).port}${new URL(location).pathname}`;
};

const hasFailed = (told: Told): boolean => events(told, 'model_failed').length > 0;
/** A server that refuses has to be waited for once, or given up; one that hangs does so from the start. */
const isUnderWay = (told: Told, server: JsonObject): boolean =>
  Number(server['status'] ?? 200) === 200 || warnings(told).length > 0 || hasFailed(told);
const frames = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, TERMINAL_LIMITS.frameMs * 4));

const OLLAMA_PORT = 11_434;
const isRefused = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', () => resolve(true));
  });

/** Nobody listens where a model server is expected: the command line as a process, for its exit code. */
const noServer = async (scene: Scene, server: JsonObject): Promise<void> => {
  const { then, when } = scene.attack;
  if (server['tcp'] !== 'refused') throw new Unmet(`tcp ${JSON.stringify(server['tcp'])} is not known`);
  onlyKnown('then', then, ['message_contains', 'message_not_contains', 'exit_code', 'max_ms', 'stack_trace']);
  if (!(await isRefused(OLLAMA_PORT))) throw new CannotRun(`a server listens on port ${OLLAMA_PORT} here`);
  const ran = await runProgram(scene, ['run', '--provider', 'ollama', '--model', 'none', String(when['user'])], '');
  const text = `${ran.stdout}${ran.stderr}`;
  for (const part of asList(then['message_contains']).map(String))
    hold(text.includes(part), `${part} is not said: ${text}`);
  for (const part of asList(then['message_not_contains'] ?? []).map(String))
    hold(!text.includes(part), `${part} is said`);
  if (then['exit_code'] !== undefined) hold(ran.status === then['exit_code'], `the exit code is ${ran.status}`);
  if (then['max_ms'] !== undefined) hold(ran.tookMs <= Number(then['max_ms']), `it took ${Math.round(ran.tookMs)} ms`);
  if (then['stack_trace'] !== undefined)
    hold(/^\s+at \S/m.test(text) === then['stack_trace'], `a stack trace is shown: ${text}`);
};
