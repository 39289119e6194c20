/** Runs an engine's parsers in one Python process: a case a line in, its results a line out. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { JsonValue } from '../../src/core/json.ts';
import type { Case } from '../../tests/conformance/cases.ts';
import { tokenLikePieces } from './deltas.ts';
import type { Engine } from './engines.ts';
import type { FetchedEngine } from './fetch-engine.ts';

/** A parser that loops for ever would hold the run. The slowest case that ends, and the start itself, take far less. */
const SILENCE_TIMEOUT_MS = 20_000;

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

type Round = { results: EngineResult[]; silent: boolean; complaint: string };

/** One process, until it has answered everything, has died, or says nothing for too long. */
const runRound = async (engine: Engine, fetched: FetchedEngine, cases: readonly Case[]): Promise<Round> => {
  const driver = new URL(`upstream/${engine.driver}`, import.meta.url).pathname;
  const child = spawn('python3', [driver, fetched.sources, fetched.dependencies], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', PYTHONIOENCODING: 'utf-8' },
  });
  const round: Round = { results: [], silent: false, complaint: '' };
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    round.complaint = (round.complaint + text).slice(-4_000);
  });
  // A child that dies early says why on its standard error; the broken pipe says nothing more.
  child.stdin.on('error', () => {});
  const ended = new Promise((resolve, reject) => {
    child.on('close', resolve);
    child.on('error', reject);
  });
  const giveUp = (): void => {
    round.silent = true;
    child.kill('SIGKILL');
  };
  let silence = setTimeout(giveUp, SILENCE_TIMEOUT_MS);
  createInterface({ input: child.stdout }).on('line', (line) => {
    round.results.push(JSON.parse(line) as EngineResult);
    clearTimeout(silence);
    silence = setTimeout(giveUp, SILENCE_TIMEOUT_MS);
  });
  child.stdin.end(cases.map((one) => `${request(one, engine)}\n`).join(''));
  await ended;
  clearTimeout(silence);
  return round;
};

/** The results in the order of the cases. A text on which the engine hangs counts as one on which it fails. */
export const driveEngine = async (
  engine: Engine,
  fetched: FetchedEngine,
  cases: readonly Case[],
): Promise<EngineResult[]> => {
  const results: EngineResult[] = [];
  while (results.length < cases.length) {
    const round = await runRound(engine, fetched, cases.slice(results.length));
    results.push(...round.results);
    if (results.length === cases.length) break;
    if (!round.silent) {
      throw new Error(`${engine.name} answered ${results.length} of ${cases.length} cases:\n${round.complaint}`);
    }
    const hung = { error: `no answer within ${SILENCE_TIMEOUT_MS / 1_000} s` };
    results.push({ whole: hung, stream: hung });
  }
  return results;
};
