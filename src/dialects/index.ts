/**
 * Tool calls that models write as text: read in every format of the catalogue, while they stream. Runs in a browser.
 * A new format: one file here, and one line in `FORMATS`.
 */

import { apertus } from './apertus.ts';
import { apriel } from './apriel.ts';
import { autoOf, closesReasoning } from './auto.ts';
import { commandRPlus } from './command-r-plus.ts';
import { commandR7b } from './command-r7b.ts';
import { deepseekV31 } from './deepseek-v3.1.ts';
import { deepseekV32 } from './deepseek-v3.2.ts';
import { deepseekV3 } from './deepseek-v3.ts';
import { deepseekV4 } from './deepseek-v4.ts';
import { dots } from './dots.ts';
import { edison } from './edison.ts';
import type { Format } from './engine/format.ts';
import { parserFor } from './engine/parser.ts';
import { ernie45 } from './ernie45.ts';
import { functionaryV32 } from './functionary-v3.2.ts';
import { functiongemma } from './functiongemma.ts';
import { functools } from './functools.ts';
import { gemma3ToolCode } from './gemma3-tool-code.ts';
import { gemma4 } from './gemma4.ts';
import { gigachat3 } from './gigachat3.ts';
import { glm45 } from './glm-4.5.ts';
import { glm47 } from './glm-4.7.ts';
import { granite } from './granite.ts';
import { granite20bFc } from './granite-20b-fc.ts';
import { harmony } from './harmony.ts';
import { hermes } from './hermes.ts';
import { hunyuanA13b } from './hunyuan-a13b.ts';
import { hyV3 } from './hy-v3.ts';
import { inkling } from './inkling.ts';
import { internlm2 } from './internlm2.ts';
import { jamba } from './jamba.ts';
import { k2Horizon } from './k2-horizon.ts';
import { kimiK2 } from './kimi-k2.ts';
import { kimiK3 } from './kimi-k3.ts';
import { lfm2 } from './lfm2.ts';
import { llama3Function } from './llama3-function.ts';
import { llama3Json } from './llama3-json.ts';
import { llama4Pythonic } from './llama4-pythonic.ts';
import { longcat } from './longcat.ts';
import { minicpm5 } from './minicpm5.ts';
import { minimaxM1 } from './minimax-m1.ts';
import { minimaxM2 } from './minimax-m2.ts';
import { minimaxM3 } from './minimax-m3.ts';
import { mistralArgs } from './mistral-args.ts';
import { mistralJson } from './mistral-json.ts';
import { muse } from './muse.ts';
import { native } from './native.ts';
import { nemotronNanoV2 } from './nemotron-nano-v2.ts';
import { olmo3 } from './olmo3.ts';
import { plainJson } from './plain-json.ts';
import { plamo3 } from './plamo3.ts';
import { pythonic } from './pythonic.ts';
import { qwen3Coder } from './qwen3-coder.ts';
import { react } from './react.ts';
import { seedOss } from './seed-oss.ts';
import { solarOpen } from './solar-open.ts';
import { step3 } from './step3.ts';
import type { ParseResult, Parser, ParserOptions, ToolDefinition } from './types.ts';
import { xlam } from './xlam.ts';

export type { Format } from './engine/format.ts';
export type { PromptCall, PromptForm, PromptResult } from './engine/prompt.ts';
export { detectDialect, startsInReasoning } from './profiles.ts';
export { type Dialect, type DialectDefinition, offerTools, renderCall, renderCalls, renderResult } from './prompts.ts';
export { type LenientJson, parseJsonLeniently } from './repair-json.ts';
export { type TemplateInput, type TemplateMessage, toTemplateMessages } from './template-messages.ts';
export type {
  BrokenCall,
  ParsedCall,
  ParseResult,
  Parser,
  ParserEvent,
  ParserOptions,
  ToolDefinition,
} from './types.ts';

const FORMATS: readonly Format[] = [
  native,
  hermes,
  qwen3Coder,
  glm45,
  glm47,
  mistralArgs,
  mistralJson,
  llama3Json,
  llama3Function,
  harmony,
  kimiK2,
  kimiK3,
  deepseekV3,
  deepseekV31,
  deepseekV32,
  deepseekV4,
  minimaxM1,
  minimaxM2,
  minimaxM3,
  granite,
  granite20bFc,
  functools,
  commandR7b,
  commandRPlus,
  functionaryV32,
  xlam,
  hunyuanA13b,
  hyV3,
  jamba,
  apriel,
  internlm2,
  functiongemma,
  gemma4,
  gemma3ToolCode,
  lfm2,
  llama4Pythonic,
  pythonic,
  nemotronNanoV2,
  ernie45,
  step3,
  olmo3,
  apertus,
  solarOpen,
  longcat,
  gigachat3,
  minicpm5,
  dots,
  muse,
  inkling,
  k2Horizon,
  plamo3,
  seedOss,
  react,
  plainJson,
  edison,
];

const auto = autoOf(FORMATS);
const byName = new Map([...FORMATS, auto].map((format) => [format.name, format]));

/** Every dialect there is; `auto` is all of them at once. */
export const dialectNames = (): string[] => [...byName.keys()];

const formatOf = (dialect: string): Format => {
  const format = byName.get(dialect);
  if (format === undefined) throw new RangeError(`There is no dialect "${dialect}".`);
  return format;
};

/** A parser for one answer of a model. Throws for a dialect that does not exist. */
export const createParser = (options: ParserOptions): Parser => parserFor(formatOf(options.dialect), options);

/** The same for a format of somebody's own making. */
export const createFormatParser = (format: Format, options: Omit<ParserOptions, 'dialect'> = {}): Parser =>
  parserFor(format, options);

/** A whole text at once. */
export const parseToolCalls = (text: string, options: ParserOptions): ParseResult => {
  const parser = createParser(options);
  parser.push(text);
  return parser.end().result;
};

/**
 * Finds out by itself how the calls are written, and, where nobody says it, whether the prompt had already opened the
 * reasoning.
 */
export const autoParseToolCalls = (
  text: string,
  options: { tools?: readonly ToolDefinition[]; startInReasoning?: boolean } = {},
): ParseResult => {
  const result = parseToolCalls(text, { ...options, dialect: auto.name });
  const unsaid = options.startInReasoning === undefined && result.reasoning === '';
  if (!unsaid || !closesReasoning(auto, result.content)) return result;
  return parseToolCalls(text, { ...options, dialect: auto.name, startInReasoning: true });
};

/** The text that a person should see: no calls, no markers, no reasoning. */
export const stripToolCalls = (text: string, { dialect }: { dialect?: string } = {}): string =>
  (dialect === undefined ? autoParseToolCalls(text) : parseToolCalls(text, { dialect })).content;
