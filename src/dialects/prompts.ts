/** The prompt side of every dialect: how tools are offered, how past calls are written, how results go back. */
import type { ToolSchema } from '../core/tool.ts';
import { apertusPrompt } from './apertus.ts';
import { aprielPrompt } from './apriel.ts';
import { commandRPlusPrompt } from './command-r-plus.ts';
import { commandR7bPrompt } from './command-r7b.ts';
import { deepseekV31Prompt } from './deepseek-v3.1.ts';
import { deepseekV32Prompt } from './deepseek-v3.2.ts';
import { deepseekV3Prompt } from './deepseek-v3.ts';
import { deepseekV4Prompt } from './deepseek-v4.ts';
import { dotsPrompt } from './dots.ts';
import { edisonPrompt } from './edison.ts';
import type { Format } from './engine/format.ts';
import { HERMES_PROMPT, type PromptCall, type PromptForm, type PromptResult } from './engine/prompt.ts';
import { ernie45Prompt } from './ernie45.ts';
import { functionaryV32Prompt } from './functionary-v3.2.ts';
import { functiongemmaPrompt } from './functiongemma.ts';
import { functoolsPrompt } from './functools.ts';
import { gemma3ToolCodePrompt } from './gemma3-tool-code.ts';
import { gemma4Prompt } from './gemma4.ts';
import { gigachat3Prompt } from './gigachat3.ts';
import { glm45Prompt } from './glm-4.5.ts';
import { glm47Prompt } from './glm-4.7.ts';
import { granitePrompt } from './granite.ts';
import { granite20bFcPrompt } from './granite-20b-fc.ts';
import { harmonyPrompt } from './harmony.ts';
import { hermesPrompt } from './hermes.ts';
import { hunyuanA13bPrompt } from './hunyuan-a13b.ts';
import { hyV3Prompt } from './hy-v3.ts';
import { inklingPrompt } from './inkling.ts';
import { internlm2Prompt } from './internlm2.ts';
import { jambaPrompt } from './jamba.ts';
import { k2HorizonPrompt } from './k2-horizon.ts';
import { kimiK2Prompt } from './kimi-k2.ts';
import { kimiK3Prompt } from './kimi-k3.ts';
import { lfm2Prompt } from './lfm2.ts';
import { llama3FunctionPrompt } from './llama3-function.ts';
import { llama3JsonPrompt } from './llama3-json.ts';
import { llama4PythonicPrompt } from './llama4-pythonic.ts';
import { longcatPrompt } from './longcat.ts';
import { minicpm5Prompt } from './minicpm5.ts';
import { minimaxM1Prompt } from './minimax-m1.ts';
import { minimaxM2Prompt } from './minimax-m2.ts';
import { minimaxM3Prompt } from './minimax-m3.ts';
import { mistralArgsPrompt } from './mistral-args.ts';
import { mistralJsonPrompt } from './mistral-json.ts';
import { musePrompt } from './muse.ts';
import { nemotronNanoV2Prompt } from './nemotron-nano-v2.ts';
import { olmo3Prompt } from './olmo3.ts';
import { plainJsonPrompt } from './plain-json.ts';
import { plamo3Prompt } from './plamo3.ts';
import { pythonicPrompt } from './pythonic.ts';
import { qwen3CoderPrompt } from './qwen3-coder.ts';
import { reactPrompt } from './react.ts';
import { seedOssPrompt } from './seed-oss.ts';
import { solarOpenPrompt } from './solar-open.ts';
import { step3Prompt } from './step3.ts';
import { xlamPrompt } from './xlam.ts';

/** A dialect's name, or one of somebody's own making. */
export type Dialect = string | DialectDefinition;
/** How calls are written, and how tools and results are told; without the latter as Hermes models are told. */
export type DialectDefinition = { format: Format; prompt?: PromptForm };

/** A dialect without a form of its own is spoken to as Hermes models are. */
const PROMPTS: Readonly<Record<string, () => PromptForm>> = {
  apertus: apertusPrompt,
  apriel: aprielPrompt,
  'command-r-plus': commandRPlusPrompt,
  'command-r7b': commandR7bPrompt,
  'deepseek-v3.1': deepseekV31Prompt,
  'deepseek-v3.2': deepseekV32Prompt,
  'deepseek-v3': deepseekV3Prompt,
  'deepseek-v4': deepseekV4Prompt,
  dots: dotsPrompt,
  edison: edisonPrompt,
  ernie45: ernie45Prompt,
  'functionary-v3.2': functionaryV32Prompt,
  functiongemma: functiongemmaPrompt,
  functools: functoolsPrompt,
  'gemma3-tool-code': gemma3ToolCodePrompt,
  gemma4: gemma4Prompt,
  gigachat3: gigachat3Prompt,
  'glm-4.5': glm45Prompt,
  'glm-4.7': glm47Prompt,
  'granite-20b-fc': granite20bFcPrompt,
  granite: granitePrompt,
  harmony: harmonyPrompt,
  hermes: hermesPrompt,
  'hunyuan-a13b': hunyuanA13bPrompt,
  'hy-v3': hyV3Prompt,
  inkling: inklingPrompt,
  internlm2: internlm2Prompt,
  jamba: jambaPrompt,
  'k2-horizon': k2HorizonPrompt,
  'kimi-k2': kimiK2Prompt,
  'kimi-k3': kimiK3Prompt,
  lfm2: lfm2Prompt,
  'llama3-function': llama3FunctionPrompt,
  'llama3-json': llama3JsonPrompt,
  'llama4-pythonic': llama4PythonicPrompt,
  longcat: longcatPrompt,
  minicpm5: minicpm5Prompt,
  'minimax-m1': minimaxM1Prompt,
  'minimax-m2': minimaxM2Prompt,
  'minimax-m3': minimaxM3Prompt,
  'mistral-args': mistralArgsPrompt,
  'mistral-json': mistralJsonPrompt,
  muse: musePrompt,
  'nemotron-nano-v2': nemotronNanoV2Prompt,
  olmo3: olmo3Prompt,
  'plain-json': plainJsonPrompt,
  plamo3: plamo3Prompt,
  pythonic: pythonicPrompt,
  'qwen3-coder': qwen3CoderPrompt,
  react: reactPrompt,
  'seed-oss': seedOssPrompt,
  'solar-open': solarOpenPrompt,
  step3: step3Prompt,
  xlam: xlamPrompt,
};

const promptOf = (dialect: Dialect): PromptForm => {
  if (typeof dialect !== 'string') return dialect.prompt ?? HERMES_PROMPT;
  return Object.hasOwn(PROMPTS, dialect) ? (PROMPTS[dialect] as () => PromptForm)() : HERMES_PROMPT;
};

/** What tells a model, in the dialect's own way, which tools there are; it belongs into the system prompt. */
export const offerTools = (dialect: Dialect, tools: readonly ToolSchema[]): string => promptOf(dialect).offer(tools);

/** A past call as the model would have written it. */
export const renderCall = (dialect: Dialect, call: PromptCall): string => renderCalls(dialect, [call]);

/** The calls of one turn. */
export const renderCalls = (dialect: Dialect, calls: readonly PromptCall[]): string => promptOf(dialect).calls(calls);

/** A result as the model expects it. */
export const renderResult = (dialect: Dialect, result: PromptResult): string => promptOf(dialect).result(result);
