/** What the server does by itself: answers under a schema, its real window, its cache and its speed. */
import type { JsonSchema, JsonValue } from '../../core/json.ts';
import { LIMITS } from '../../core/limits.ts';
import { validateArguments } from '../../core/validate-arguments.ts';
import { estimateTokens } from '../../core/window/tokens.ts';
import { wasCut } from '../../core/window.ts';
import type { Answer, Asker } from './ask.ts';
import {
  ASSISTANT,
  type Check,
  type Findings,
  failed,
  judged,
  passed,
  said,
  system,
  tool,
  user,
  type Verdict,
} from './check.ts';

const PLACE: JsonSchema = {
  type: 'object',
  properties: { city: { type: 'string' }, population: { type: 'integer' }, coastal: { type: 'boolean' } },
  required: ['city', 'population', 'coastal'],
  additionalProperties: false,
};
const ROUTE: JsonSchema = {
  type: 'object',
  properties: {
    stops: {
      type: 'array',
      items: {
        type: 'object',
        properties: { name: { type: 'string' }, kind: { type: 'string', enum: ['train', 'bus'] } },
        required: ['name', 'kind'],
      },
      minItems: 2,
      maxItems: 2,
    },
  },
  required: ['stops'],
};

const fitsSchema = (answer: Answer, schema: JsonSchema): Verdict => {
  let value: JsonValue;
  try {
    value = JSON.parse(answer.text) as JsonValue;
  } catch {
    return failed(said(answer));
  }
  const valid = validateArguments(schema, value, 'strict');
  return valid.ok && valid.dropped.length === 0
    ? passed()
    : failed(valid.ok ? 'fields that were not asked for' : (valid.issues[0] ?? ''));
};

const canConstrain = ({ provider }: Asker): string | undefined =>
  provider.constrains || provider.decodeToolCall ? undefined : 'this server takes no schema';

const DECODED = tool('set_alarm', 'Set an alarm.', {
  hour: { type: 'integer', minimum: 0, maximum: 23 },
  label: { type: 'string' },
});

/** Arguments of a call, decoded under the tool's schema: the last rung of the ladder of repairs. */
const decodedArguments = async (asker: Asker, findings: Findings): Promise<Verdict> => {
  const messages = [ASSISTANT, user('Set an alarm for 7 with the label "run".')];
  const { parameters } = DECODED.function;
  if (asker.provider.decodeToolCall) {
    const decoded = await asker.provider.decodeToolCall(
      { model: asker.info.id, messages, tool: DECODED },
      asker.signal,
    );
    if (!decoded.ok) return failed(decoded.error.message);
    findings.schemaHeld = validateArguments(parameters, decoded.call.arguments, 'strict').ok;
    return findings.schemaHeld ? passed() : failed(JSON.stringify(decoded.call.arguments));
  }
  return judged(asker, { messages, schema: parameters }, (answer) => fitsSchema(answer, parameters));
};

export const SCHEMA_CHECKS: readonly Check[] = [
  {
    id: 'schema',
    group: 'schema',
    title: 'answers under a schema',
    skip: canConstrain,
    run: async (asker, findings) => {
      const question = { messages: [user('Tell of the city of Oslo, as JSON.')], schema: PLACE };
      const verdict = await judged(asker, question, (answer) => fitsSchema(answer, PLACE));
      findings.schemaHeld = verdict.passed;
      return verdict;
    },
  },
  {
    id: 'schema_nested',
    group: 'schema',
    title: 'keeps to a schema with a list of objects',
    skip: canConstrain,
    run: (asker) =>
      judged(
        asker,
        { messages: [user('A way from Bern to Basel by train and by bus, as JSON.')], schema: ROUTE },
        (answer) => fitsSchema(answer, ROUTE),
      ),
  },
  {
    id: 'schema_call',
    group: 'schema',
    title: 'writes the arguments of a call under the schema of its tool',
    skip: canConstrain,
    run: decodedArguments,
  },
];

const FILLER = 'The harbour was quiet and the boats lay in a row along the wall. ';
const CODE_WORD = 'KESTREL-47';
/** Instructions of about so many tokens that begin with the code word. */
const longInstructions = (tokens: number): string => {
  const each = estimateTokens(FILLER);
  return `The code word is ${CODE_WORD}.\n${FILLER.repeat(Math.max(1, Math.floor(tokens / each)))}`;
};

/** As much as is worth reading: most of the window, and what this machine reads within the time for one check. */
const tryTokens = (asker: Asker, findings: Findings): number => {
  const window = asker.info.context_length ?? LIMITS.probeWindowTokens;
  const rate = findings.speed.prefill_tokens_per_second;
  const inTime = rate === undefined ? LIMITS.probeWindowTokens : rate * LIMITS.probeWindowSeconds;
  const room = window - LIMITS.probeAnswerTokens - LIMITS.answerTokensMin;
  return Math.max(LIMITS.windowSmallestTokens, Math.floor(Math.min(room * 0.8, LIMITS.probeWindowTokens, inTime)));
};

/** The beginning of a long prompt is what a server drops in silence; the count tells of it, and so does the code word. */
const codeWord = async (asker: Asker, findings: Findings): Promise<Verdict> => {
  const tokens = tryTokens(asker, findings);
  const messages = [system(longInstructions(tokens)), user('What is the code word? Answer with it alone.')];
  const asked = await asker.ask({ messages, maxTokens: 32 });
  if (!asked.ok) {
    if (asked.error.code === 'context_overflow') return failed(`a prompt of ${tokens} tokens is refused`);
    return failed(asked.error.message);
  }
  const { usage, text } = asked.answer;
  if (usage && wasCut(usage.prompt_tokens, tokens * (findings.tokenRatio ?? 1), findings.tokenRatio !== undefined)) {
    findings.windowTokens = usage.prompt_tokens;
    return failed(
      `only ${usage.prompt_tokens} of about ${tokens} tokens were read: the server cuts prompts in silence`,
    );
  }
  return text.includes('KESTREL')
    ? passed(`${tokens} tokens read`)
    : failed(`not found in ${tokens} tokens: ${said(asked.answer)}`);
};

/** Reads a prompt that the server cannot have, twice: how fast, and whether the second time costs less. */
const readingSpeed = async (asker: Asker, findings: Findings): Promise<Verdict> => {
  const messages = [system(`Notes of the day:\n${FILLER.repeat(40)}`), user('Say ok.')];
  const asked = await asker.ask({ messages, maxTokens: 4 });
  if (!asked.ok) return failed(asked.error.message);
  const { usage, firstSeconds } = asked.answer;
  const estimated = estimateTokens(FILLER.repeat(40));
  if (usage && usage.prompt_tokens > estimated / 2) findings.tokenRatio = usage.prompt_tokens / estimated;
  const read = (usage?.prompt_tokens || estimated) - (usage?.cached_tokens ?? 0);
  const seconds = usage?.prompt_seconds ?? firstSeconds;
  if (read < LIMITS.speedSampleTokens || seconds <= 0) return failed('the server had this prompt in its cache');
  findings.speed.prefill_tokens_per_second = round(read / seconds);
  return passed(`${findings.speed.prefill_tokens_per_second} tokens/s`);
};

const writingSpeed = (asker: Asker, findings: Findings): Promise<Verdict> =>
  judged(asker, { messages: [user('Tell a story about a lighthouse.')], maxTokens: 96 }, (answer) => {
    const seconds = answer.seconds - answer.firstSeconds;
    const tokens = answer.usage?.completion_tokens || answer.pieces;
    if (tokens < 8 || seconds <= 0) return failed(said(answer));
    findings.speed.decode_tokens_per_second = round(tokens / seconds);
    return passed(`${findings.speed.decode_tokens_per_second} tokens/s`);
  });

const round = (value: number): number => Math.max(0.1, Math.round(value * 10) / 10);

const cacheUsed = async (asker: Asker): Promise<Verdict> => {
  const messages = [system(`A list to keep:\n${FILLER.repeat(30)}`), user('Say ok.')];
  const first = await asker.ask({ messages, maxTokens: 4 });
  const again = first.ok ? await asker.ask({ messages, maxTokens: 4 }) : first;
  if (!first.ok || !again.ok) return failed(again.ok ? 'no answer' : again.error.message);
  const { usage } = again.answer;
  if (usage?.cached_tokens !== undefined && usage.prompt_tokens > 0) {
    const share = usage.cached_tokens / usage.prompt_tokens;
    return share > 0.5
      ? passed(`${Math.round(share * 100)} % reused`)
      : failed(`only ${Math.round(share * 100)} % reused`);
  }
  return again.answer.firstSeconds < first.answer.firstSeconds * 0.6
    ? passed('the second time is faster')
    : failed('the second time is no faster');
};

export const SPEED_CHECKS: readonly Check[] = [
  { id: 'prefill', group: 'speed', title: 'reads a prompt', run: readingSpeed },
  { id: 'decode', group: 'speed', title: 'writes an answer', run: writingSpeed },
  { id: 'cache', group: 'speed', title: 'reads a prompt it knows at once', run: cacheUsed },
];

export const WINDOW_CHECKS: readonly Check[] = [
  {
    id: 'window_known',
    group: 'window',
    title: 'the server tells its window',
    run: async ({ info }) =>
      info.context_length === undefined
        ? failed('it does not; `--context-length` sets it by hand where the server takes one')
        : passed(`${info.context_length} tokens`),
  },
  {
    id: 'tokenizer',
    group: 'window',
    title: 'the server counts a prompt before it is sent',
    skip: ({ provider }) => (provider.countTokens ? undefined : 'this kind of server has no way to ask'),
    run: async ({ provider, info, signal }) => {
      const counted = await provider.countTokens?.({ model: info.id, messages: [user(FILLER)], tools: [] }, signal);
      return counted === undefined ? failed('it does not answer that') : passed(`${counted} tokens for a sentence`);
    },
  },
  { id: 'code_word', group: 'window', title: 'reads the very beginning of a long prompt', run: codeWord },
];
