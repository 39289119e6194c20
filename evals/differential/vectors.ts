/**
 * `npm run eval:vectors`: which calls of the shared suite's vectors others read, beside halter.
 *
 * Read here: halter, and `@ai-sdk-tool/parser`, which npm puts into the cache folder (`--cache FOLDER`). The servers'
 * verdicts stand in the vectors, as they were found by running each server's own parser; `npm run eval:differential` runs
 * two of them again. A text is read whole and as a stream. Only calls count: their number, order, names and arguments.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual, parseArgs, promisify } from 'node:util';
import { type Case, run, sharedVectors } from '../../tests/conformance/cases.ts';
import { defaultCacheFolder } from './fetch-engine.ts';

type Called = { name: string; arguments: unknown };
type Verdict = { whole: boolean; streamed: boolean };
type Reader = { name: string; read(vector: Case): Promise<Verdict | undefined> };
type Upstream = Readonly<Record<string, string | undefined>>;

const PIECE_CHARACTERS = 4;
const PARSER = { package: '@ai-sdk-tool/parser', version: '4.1.26' };
/** As the README of the vectors names them. */
const SERVERS = [
  { name: 'vLLM 0.33.0', key: 'vllm' },
  { name: 'SGLang 0.5.23', key: 'sglang' },
  { name: 'Ollama fb30760', key: 'ollama' },
  { name: 'llama.cpp (llama-cpp-python 0.3.36)', key: 'llamacpp' },
];

const piecesOf = (text: string): string[] => text.match(new RegExp(`[\\s\\S]{1,${PIECE_CHARACTERS}}`, 'g')) ?? [];
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const isRight = ({ expected }: Case, calls: readonly Called[]): boolean => {
  const named = (list: readonly Called[]): unknown => plain(list.map(({ name, arguments: args }) => [name, args]));
  return isDeepStrictEqual(named(calls), named(expected.calls));
};

const halter: Reader = {
  name: 'halter',
  read: async (vector) => ({
    whole: isRight(vector, run(vector, vector.format).result.calls),
    streamed: isRight(vector, run(vector, vector.format, piecesOf(vector.text)).result.calls),
  }),
};

/** `calls`: the calls were right, content or reasoning was not. In brackets what a whole text gave where it differs. */
const server = ({ name, key }: (typeof SERVERS)[number]): Reader => ({
  name,
  read: async (vector) => {
    const verdict = (vector as Case & { upstream?: Upstream }).upstream?.[key];
    if (verdict === undefined) return undefined;
    const [, streamed = '', whole = streamed] = /^(\w+)(?: \(whole:(\w+)\))?$/.exec(verdict) ?? [];
    return { whole: whole !== 'fail', streamed: streamed !== 'fail' };
  },
});

/** A part of its answer, whole or in a stream. */
type Part = { type: string; toolName?: string; input?: string };
type Protocol = {
  parseGeneratedText(given: { text: string; tools: object[] }): Part[];
  createStreamParser(given: { tools: object[] }): TransformStream<object, Part>;
};
type ParserModule = { hermesProtocol(): Protocol; qwen3CoderProtocol(): Protocol };

const installed = async (cache: string): Promise<ParserModule> => {
  const folder = path.join(cache, `ai-sdk-tool-parser-${PARSER.version}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), '{"type": "module"}');
  const wanted = `${PARSER.package}@${PARSER.version}`;
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  await promisify(execFile)('npm', ['install', ...quiet, wanted], { cwd: folder });
  return import(path.join(folder, 'node_modules', PARSER.package, 'dist', 'index.js')) as Promise<ParserModule>;
};

const toolsOf = ({ tools = [] }: Case): object[] =>
  tools.map((tool) => {
    const { name, description = '', parameters = {} } = 'function' in tool ? tool.function : tool;
    return { type: 'function', name, description, inputSchema: parameters };
  });

const callsOf = (parts: readonly Part[]): Called[] =>
  parts
    .filter(({ type }) => type === 'tool-call')
    .map(({ toolName = '', input = '' }) => ({ name: toolName, arguments: JSON.parse(input) as unknown }));

const streamedBy = async (protocol: Protocol, vector: Case): Promise<Part[]> => {
  const parts: object[] = [
    { type: 'text-start', id: 't' },
    ...piecesOf(vector.text).map((delta) => ({ type: 'text-delta', id: 't', delta })),
    { type: 'text-end', id: 't' },
    { type: 'finish', finishReason: { unified: 'stop' }, usage: {} },
  ];
  const read: Part[] = [];
  const parser = protocol.createStreamParser({ tools: toolsOf(vector) });
  for await (const part of ReadableStream.from(parts).pipeThrough(parser)) read.push(part);
  return read;
};

const aiSdkToolParser = async (cache: string): Promise<Reader> => {
  const { hermesProtocol, qwen3CoderProtocol } = await installed(cache);
  const protocols: Record<string, () => Protocol> = { hermes: hermesProtocol, 'qwen3-coder': qwen3CoderProtocol };
  const judged = async (vector: Case, read: () => Part[] | Promise<Part[]>): Promise<boolean> => {
    try {
      return isRight(vector, callsOf(await read()));
    } catch {
      return false;
    }
  };
  return {
    name: `${PARSER.package} ${PARSER.version}`,
    read: async (vector) => {
      const make = protocols[vector.format];
      // It has no reasoning: what a server would have taken away first is not held against it.
      if (make === undefined || vector.startInReasoning || vector.expected.reasoning !== null) return undefined;
      const given = { text: vector.text, tools: toolsOf(vector) };
      return {
        whole: await judged(vector, () => make().parseGeneratedText(given)),
        streamed: await judged(vector, () => streamedBy(make(), vector)),
      };
    },
  };
};

const share = (count: number, all: number): string => `${count} of ${all} (${((100 * count) / all).toFixed(1)} %)`;

const row = async (reader: Reader, vectors: readonly Case[]): Promise<string> => {
  const read: { format: string; verdict: Verdict }[] = [];
  for (const vector of vectors) {
    const verdict = await reader.read(vector);
    if (verdict !== undefined) read.push({ format: vector.format, verdict });
  }
  const formats = new Set(read.map(({ format }) => format)).size;
  const whole = read.filter(({ verdict }) => verdict.whole).length;
  const streamed = read.filter(({ verdict }) => verdict.streamed).length;
  return `| ${reader.name} | ${formats} | ${share(whole, read.length)} | ${share(streamed, read.length)} |`;
};

const { values } = parseArgs({ options: { cache: { type: 'string', default: defaultCacheFolder() } } });
const vectors = sharedVectors();
if (vectors.length === 0) {
  process.stderr.write('There are no vectors: the shared suite lies beside the repository, in shared/conformance.\n');
  process.exitCode = 1;
} else {
  const formats = new Set(vectors.map(({ format }) => format)).size;
  process.stdout.write(
    `${vectors.length} vectors in ${formats} formats; of each reader, those of the formats that it has\n\n`,
  );
  process.stdout.write('| reader | formats | calls right, whole text | calls right, streamed |\n|---|---|---|---|\n');
  for (const reader of [halter, ...SERVERS.map(server), await aiSdkToolParser(values.cache)])
    process.stdout.write(`${await row(reader, vectors)}\n`);
}
