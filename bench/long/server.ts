/**
 * A server like llama.cpp's with one slot: it keeps what it read of the last prompt, reads the rest anew, and refuses a
 * prompt that is larger than its window. Behind it a model that follows the scenario. Figures are of this server alone.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sharedLength } from '../shared-length.ts';
import { editCall, readCall } from './peer-calls.ts';
import type { Scenario } from './scenario.ts';

/** `told`: the server says its window; `hidden`: it does not; `wrong`: it says eight times as much as it has. */
export type WindowKind = 'told' | 'hidden' | 'wrong';

export type LongFigures = {
  requests: number;
  refused: number;
  tokensSent: number;
  tokensReadAnew: number;
  /** The same, message by message. */
  readAnewByTurn: number[];
  largestPrompt: number;
  tokensWritten: number;
  /** Requests besides the conversation's own, such as notes. */
  besides: number;
  answered: Set<number>;
  /** Answers to a prompt that did not hold the middle of the file that was just read. */
  withoutFile: number;
  /** Facts still in the prompt, by the message at which it was looked. */
  factsAt: Map<number, string[]>;
};

type Message = { role: string; content?: unknown; tool_calls?: unknown };
type Body = { messages: Message[]; tools?: unknown[]; stream?: boolean; response_format?: unknown };

/** Characters of code and English that tokenizers make a token of, about. */
const CHARACTERS_A_TOKEN = 3.4;
const tokensOf = (characters: number): number => Math.ceil(characters / CHARACTERS_A_TOKEN);
const textOf = (content: unknown): string => (typeof content === 'string' ? content : JSON.stringify(content ?? ''));

/** As a chat template would write it: the tools first, each message behind the one before. */
const promptText = ({ messages, tools = [] }: Body): string =>
  [
    tools.length > 0 ? `<tools>${JSON.stringify(tools)}</tools>` : '',
    ...messages.map(
      ({ role, content, tool_calls: calls }) =>
        `<|${role}|>${textOf(content)}${calls === undefined ? '' : JSON.stringify(calls)}<|end|>`,
    ),
  ].join('\n');

export type LongServerOptions = {
  scenario: Scenario;
  windowTokens: number;
  kind: WindowKind;
  /** What the model makes of a request for notes: sound ones, or nothing of use. */
  notes: 'sound' | 'broken';
  /** The messages after which the facts are looked for. */
  lookAt: readonly number[];
  /** How a file is named in a call; as in the scenario where absent. */
  pathOf?(path: string): string;
};

export const startLongServer = async (options: LongServerOptions) => {
  const { scenario, windowTokens } = options;
  const figures: LongFigures = {
    requests: 0,
    refused: 0,
    tokensSent: 0,
    tokensReadAnew: 0,
    readAnewByTurn: [],
    largestPrompt: 0,
    tokensWritten: 0,
    besides: 0,
    answered: new Set(),
    withoutFile: 0,
    factsAt: new Map(),
  };
  let slot = '';
  let calls = 0;

  const read = (prompt: string, turn: number): { total: number; cached: number } => {
    const total = tokensOf(prompt.length);
    const cached = Math.min(total, Math.floor(sharedLength(slot, prompt) / CHARACTERS_A_TOKEN));
    slot = prompt;
    figures.tokensSent += total;
    figures.tokensReadAnew += total - cached;
    figures.readAnewByTurn[turn] = (figures.readAnewByTurn[turn] ?? 0) + total - cached;
    figures.largestPrompt = Math.max(figures.largestPrompt, total);
    return { total, cached };
  };

  const answerTo = (body: Body, prompt: string): { text: string; call?: { name: string; arguments: string } } => {
    const lastUser = body.messages.findLastIndex(({ role }) => role === 'user');
    const number = turnOf(body);
    const turn = scenario.turns[number - 1];
    const isTurn = turn !== undefined && (body.tools ?? []).length > 0;
    if (!isTurn || !/\(#\d+\)/.test(textOf(body.messages[lastUser]?.content))) {
      figures.besides += 1;
      return { text: options.notes === 'sound' ? soundNotes(body) : 'I would rather not.' };
    }
    const steps = body.messages.slice(lastUser + 1).filter(({ role }) => role === 'assistant').length;
    const path = options.pathOf?.(turn.reads) ?? turn.reads;
    if (steps === 0 && turn.reads !== '') return { text: '', call: readCall(body.tools ?? [], path) };
    if (steps === 1 && turn.edit) return { text: '', call: editCall(body.tools ?? [], path, turn.edit) };
    figures.answered.add(number);
    if (!prompt.includes(turn.needs)) figures.withoutFile += 1;
    if (options.lookAt.includes(number)) {
      const inPrompt = (text: string): boolean =>
        prompt.includes(text) || prompt.includes(JSON.stringify(text).slice(1, -1));
      figures.factsAt.set(
        number,
        scenario.facts.filter(({ text }) => inPrompt(text)).map(({ text }) => text),
      );
    }
    return { text: turn.answer };
  };

  const complete = (body: Body, response: ServerResponse): void => {
    figures.requests += 1;
    const prompt = promptText(body);
    const total = tokensOf(prompt.length);
    if (total > windowTokens) {
      figures.refused += 1;
      const message = `request (${total} tokens) exceeds the available context size (${windowTokens} tokens), try increasing it`;
      const error = {
        code: 400,
        message,
        type: 'exceed_context_size_error',
        n_prompt_tokens: total,
        n_ctx: windowTokens,
      };
      send(response, 400, { error });
      return;
    }
    const counts = read(prompt, turnOf(body));
    const answer = answerTo(body, prompt);
    const written = answer.call ? JSON.stringify(answer.call) : answer.text;
    slot += `\n<|assistant|>${written}`;
    figures.tokensWritten += tokensOf(written.length);
    calls += 1;
    const message = answer.call
      ? {
          role: 'assistant',
          content: '',
          tool_calls: [{ index: 0, id: `call_${calls}`, type: 'function', function: answer.call }],
        }
      : { role: 'assistant', content: answer.text };
    const finish = answer.call ? 'tool_calls' : 'stop';
    const usage = {
      prompt_tokens: counts.total,
      completion_tokens: tokensOf(written.length),
      total_tokens: counts.total + tokensOf(written.length),
      prompt_tokens_details: { cached_tokens: counts.cached },
    };
    if (!body.stream) {
      send(response, 200, { choices: [{ index: 0, message, finish_reason: finish }], usage });
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const event = (value: object): void => void response.write(`data: ${JSON.stringify(value)}\n\n`);
    event({ choices: [{ index: 0, delta: message }] });
    event({ choices: [{ index: 0, delta: {}, finish_reason: finish }], usage });
    response.end('data: [DONE]\n\n');
  };

  const server = createServer((request, response) => {
    const route = (request.url ?? '').split('?')[0];
    const said = options.kind === 'wrong' ? 8 * windowTokens : windowTokens;
    if (route === '/v1/models') {
      send(response, 200, { data: [{ id: 'long-model', object: 'model', owned_by: 'bench' }] });
    } else if (route === '/props' && options.kind !== 'hidden') {
      send(response, 200, { default_generation_settings: { n_ctx: said }, total_slots: 1 });
    } else if (route === '/v1/chat/completions') {
      void bodyOf(request).then((body) => complete(body, response));
    } else send(response, 404, { error: { message: 'not found', code: 404 } });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    figures,
    url: `http://127.0.0.1:${port}/v1`,
    close: (): void => {
      server.closeAllConnections();
      server.close();
    },
  };
};

/** Every message of the scenario begins with its number. The last that stands in the prompt is the one to answer. */
const turnOf = (body: Body): number => {
  const last = body.messages.findLast(({ role, content }) => role === 'user' && /\(#\d+\)/.test(textOf(content)));
  return Number([...textOf(last?.content).matchAll(/\(#(\d+)\)/g)].at(-1)?.[1] ?? 0);
};

/** Notes as a small model takes them: what was done last, in general words. The facts that are looked for are not in it. */
const soundNotes = (body: Body): string => {
  const done = body.messages.flatMap(({ role, content }) =>
    role === 'assistant' && textOf(content).length > 2 ? [textOf(content)] : [],
  );
  const short = (text: string): string => text.slice(0, 120);
  return JSON.stringify({
    goal: 'Go through the parts of the shop, explain them and raise limits.',
    decisions: [],
    facts: done.slice(-3).map(short),
    open: [],
  });
};

const bodyOf = async (request: IncomingMessage): Promise<Body> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Body;
};

const send = (response: ServerResponse, status: number, value: object): void => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
};
