/** Runs an engine's parsers in one Python process: a case a line in, its results a line out. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { JsonValue } from '../../src/core/json.ts';
import type { Case } from '../../tests/conformance/cases.ts';
import { tokenLikePieces } from './deltas.ts';
import type { Engine } from './engines.ts';
import type { FetchedEngine } from './fetch-engine.ts';

/** A parser that loops for ever would otherwise hold the run; the slowest case measured takes well under a second. */
const SILENCE_TIMEOUT_MS = 120_000;

/** A call as an engine reports it. `arguments` is absent where their text is no JSON: such a call is incomplete. */
export type EngineCall = { name: string; arguments?: JsonValue; argumentsText: string };
export type EngineOutcome = { content: string; reasoning: string; calls: EngineCall[] } | { error: string };
/** `whole`: its parser for a finished text. `stream`: its parser for deltas. They are different code in most engines. */
export type EngineResult = { whole: EngineOutcome; stream: EngineOutcome };

/** How reasoning opens, in the formats of the catalogue. */
const OPENS_REASONING =
  /^\s*(?:<(?:mm:|seed:|longcat_|ifm\|)?think>|\[THINK\]|<\|(?:START_THINKING|inner_prefix|content_thinking|channel)\|?>|<\|plamo:begin_think|<\|open\|>think| to=self)/;
const thinks = (one: Case): boolean => one.startInReasoning === true || OPENS_REASONING.test(one.text);

const request = (one: Case, engine: Engine): string => {
  const setup = engine.formats[one.format];
  return JSON.stringify({
    text: one.text,
    tools: one.tools ?? [],
    parser: setup?.parser ?? null,
    reasoning: (!engine.reasoningWhereTextThinks || thinks(one) ? setup?.reasoning : undefined) ?? null,
    lacks: setup?.lacks ?? [],
    startInReasoning: one.startInReasoning === true,
    // That the token limit ended the text is known to every server, and told to its clients.
    cut: one.expected.truncated === true,
    pieces: tokenLikePieces(one.text),
  });
};

/** The results in the order of the cases. */
export const driveEngine = async (
  engine: Engine,
  fetched: FetchedEngine,
  cases: readonly Case[],
): Promise<EngineResult[]> => {
  const driver = new URL(`upstream/${engine.driver}`, import.meta.url).pathname;
  const child = spawn('python3', [driver, fetched.sources, fetched.dependencies], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', PYTHONIOENCODING: 'utf-8' },
  });
  const results: EngineResult[] = [];
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-4_000);
  });
  // A child that dies early says why on its standard error; the broken pipe says nothing more.
  child.stdin.on('error', () => {});
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('close', resolve);
    child.on('error', reject);
  });
  let silence = setTimeout(() => child.kill('SIGKILL'), SILENCE_TIMEOUT_MS);
  createInterface({ input: child.stdout }).on('line', (line) => {
    results.push(JSON.parse(line) as EngineResult);
    clearTimeout(silence);
    silence = setTimeout(() => child.kill('SIGKILL'), SILENCE_TIMEOUT_MS);
  });
  child.stdin.end(cases.map((one) => `${request(one, engine)}\n`).join(''));
  const code = await ended;
  clearTimeout(silence);
  if (results.length !== cases.length) {
    throw new Error(`${engine.name} answered ${results.length} of ${cases.length} cases (exit ${code}):\n${complaint}`);
  }
  return results;
};
