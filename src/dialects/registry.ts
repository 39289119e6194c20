// Made by `npm run dialects` from the files of this folder that export a `grammar`, in the order of order.ts.

import { grammar as apertus, clues as apertusClues, prompt as apertusPrompt } from './apertus.ts';
import { grammar as apriel, clues as aprielClues, prompt as aprielPrompt } from './apriel.ts';
import { grammar as commandRPlus, clues as commandRPlusClues, prompt as commandRPlusPrompt } from './command-r-plus.ts';
import { grammar as commandR7b, clues as commandR7bClues, prompt as commandR7bPrompt } from './command-r7b.ts';
import { grammar as deepseekV31, clues as deepseekV31Clues, prompt as deepseekV31Prompt } from './deepseek-v3.1.ts';
import { grammar as deepseekV32, clues as deepseekV32Clues, prompt as deepseekV32Prompt } from './deepseek-v3.2.ts';
import { grammar as deepseekV3, clues as deepseekV3Clues, prompt as deepseekV3Prompt } from './deepseek-v3.ts';
import { grammar as deepseekV4, clues as deepseekV4Clues, prompt as deepseekV4Prompt } from './deepseek-v4.ts';
import { grammar as dots, clues as dotsClues, prompt as dotsPrompt } from './dots.ts';
import { grammar as edison, prompt as edisonPrompt } from './edison.ts';
import type { Clues, Grammar } from './engine/grammar.ts';
import type { PromptWriter } from './engine/prompt.ts';
import { grammar as ernie45, clues as ernie45Clues, prompt as ernie45Prompt } from './ernie45.ts';
import {
  grammar as functionaryV32,
  clues as functionaryV32Clues,
  prompt as functionaryV32Prompt,
} from './functionary-v3.2.ts';
import {
  grammar as functiongemma,
  clues as functiongemmaClues,
  prompt as functiongemmaPrompt,
} from './functiongemma.ts';
import { grammar as functools, clues as functoolsClues, prompt as functoolsPrompt } from './functools.ts';
import {
  grammar as gemma3ToolCode,
  clues as gemma3ToolCodeClues,
  prompt as gemma3ToolCodePrompt,
} from './gemma3-tool-code.ts';
import { grammar as gemma4, clues as gemma4Clues, prompt as gemma4Prompt } from './gemma4.ts';
import { grammar as gigachat3, clues as gigachat3Clues, prompt as gigachat3Prompt } from './gigachat3.ts';
import { grammar as glm45, clues as glm45Clues, prompt as glm45Prompt } from './glm-4.5.ts';
import { grammar as glm47, clues as glm47Clues, prompt as glm47Prompt } from './glm-4.7.ts';
import { grammar as granite, clues as graniteClues, prompt as granitePrompt } from './granite.ts';
import { grammar as granite20bFc, clues as granite20bFcClues, prompt as granite20bFcPrompt } from './granite-20b-fc.ts';
import { grammar as harmony, clues as harmonyClues, prompt as harmonyPrompt } from './harmony.ts';
import { grammar as hermes, clues as hermesClues, prompt as hermesPrompt } from './hermes.ts';
import { grammar as hunyuanA13b, clues as hunyuanA13bClues, prompt as hunyuanA13bPrompt } from './hunyuan-a13b.ts';
import { grammar as hyV3, clues as hyV3Clues, prompt as hyV3Prompt } from './hy-v3.ts';
import { grammar as inkling, clues as inklingClues, prompt as inklingPrompt } from './inkling.ts';
import { grammar as internlm2, clues as internlm2Clues, prompt as internlm2Prompt } from './internlm2.ts';
import { grammar as jamba, clues as jambaClues, prompt as jambaPrompt } from './jamba.ts';
import { grammar as k2Horizon, clues as k2HorizonClues, prompt as k2HorizonPrompt } from './k2-horizon.ts';
import { grammar as kimiK2, clues as kimiK2Clues, prompt as kimiK2Prompt } from './kimi-k2.ts';
import { grammar as kimiK3, clues as kimiK3Clues, prompt as kimiK3Prompt } from './kimi-k3.ts';
import { grammar as lfm2, clues as lfm2Clues, prompt as lfm2Prompt } from './lfm2.ts';
import {
  grammar as llama3Function,
  clues as llama3FunctionClues,
  prompt as llama3FunctionPrompt,
} from './llama3-function.ts';
import { grammar as llama3Json, clues as llama3JsonClues, prompt as llama3JsonPrompt } from './llama3-json.ts';
import {
  grammar as llama4Pythonic,
  clues as llama4PythonicClues,
  prompt as llama4PythonicPrompt,
} from './llama4-pythonic.ts';
import { grammar as longcat, clues as longcatClues, prompt as longcatPrompt } from './longcat.ts';
import { grammar as minicpm5, clues as minicpm5Clues, prompt as minicpm5Prompt } from './minicpm5.ts';
import { grammar as minimaxM1, clues as minimaxM1Clues, prompt as minimaxM1Prompt } from './minimax-m1.ts';
import { grammar as minimaxM2, clues as minimaxM2Clues, prompt as minimaxM2Prompt } from './minimax-m2.ts';
import { grammar as minimaxM3, clues as minimaxM3Clues, prompt as minimaxM3Prompt } from './minimax-m3.ts';
import { grammar as mistralArgs, clues as mistralArgsClues, prompt as mistralArgsPrompt } from './mistral-args.ts';
import { grammar as mistralJson, clues as mistralJsonClues, prompt as mistralJsonPrompt } from './mistral-json.ts';
import { grammar as muse, clues as museClues, prompt as musePrompt } from './muse.ts';
import { grammar as native } from './native.ts';
import {
  grammar as nemotronNanoV2,
  clues as nemotronNanoV2Clues,
  prompt as nemotronNanoV2Prompt,
} from './nemotron-nano-v2.ts';
import { grammar as olmo3, clues as olmo3Clues, prompt as olmo3Prompt } from './olmo3.ts';
import { grammar as plainJson, clues as plainJsonClues, prompt as plainJsonPrompt } from './plain-json.ts';
import { grammar as plamo3, clues as plamo3Clues, prompt as plamo3Prompt } from './plamo3.ts';
import { grammar as pythonic, clues as pythonicClues, prompt as pythonicPrompt } from './pythonic.ts';
import { grammar as qwen3Coder, clues as qwen3CoderClues, prompt as qwen3CoderPrompt } from './qwen3-coder.ts';
import { grammar as react, prompt as reactPrompt } from './react.ts';
import { grammar as seedOss, clues as seedOssClues, prompt as seedOssPrompt } from './seed-oss.ts';
import { grammar as solarOpen, clues as solarOpenClues, prompt as solarOpenPrompt } from './solar-open.ts';
import { grammar as step3, clues as step3Clues, prompt as step3Prompt } from './step3.ts';
import { grammar as xlam, clues as xlamClues, prompt as xlamPrompt } from './xlam.ts';

export const GRAMMARS: readonly Grammar[] = [
  native,
  minimaxM3,
  minimaxM2,
  deepseekV32,
  deepseekV4,
  kimiK2,
  kimiK3,
  deepseekV3,
  deepseekV31,
  step3,
  muse,
  inkling,
  harmony,
  dots,
  k2Horizon,
  plamo3,
  longcat,
  apertus,
  solarOpen,
  functiongemma,
  gemma4,
  lfm2,
  llama4Pythonic,
  nemotronNanoV2,
  olmo3,
  hyV3,
  commandR7b,
  commandRPlus,
  internlm2,
  gigachat3,
  minicpm5,
  glm45,
  qwen3Coder,
  ernie45,
  granite,
  hermes,
  seedOss,
  mistralArgs,
  mistralJson,
  functools,
  functionaryV32,
  apriel,
  hunyuanA13b,
  minimaxM1,
  jamba,
  llama3Function,
  llama3Json,
  granite20bFc,
  glm47,
  xlam,
  gemma3ToolCode,
  pythonic,
  react,
  plainJson,
  edison,
];

export const CLUES: readonly (readonly [dialect: string, clues: Clues])[] = [
  ['minimax-m3', minimaxM3Clues],
  ['minimax-m2', minimaxM2Clues],
  ['deepseek-v3.2', deepseekV32Clues],
  ['deepseek-v4', deepseekV4Clues],
  ['kimi-k2', kimiK2Clues],
  ['kimi-k3', kimiK3Clues],
  ['deepseek-v3', deepseekV3Clues],
  ['deepseek-v3.1', deepseekV31Clues],
  ['step3', step3Clues],
  ['muse', museClues],
  ['inkling', inklingClues],
  ['harmony', harmonyClues],
  ['dots', dotsClues],
  ['k2-horizon', k2HorizonClues],
  ['plamo3', plamo3Clues],
  ['longcat', longcatClues],
  ['apertus', apertusClues],
  ['solar-open', solarOpenClues],
  ['functiongemma', functiongemmaClues],
  ['gemma4', gemma4Clues],
  ['lfm2', lfm2Clues],
  ['llama4-pythonic', llama4PythonicClues],
  ['nemotron-nano-v2', nemotronNanoV2Clues],
  ['olmo3', olmo3Clues],
  ['hy-v3', hyV3Clues],
  ['command-r7b', commandR7bClues],
  ['command-r-plus', commandRPlusClues],
  ['internlm2', internlm2Clues],
  ['gigachat3', gigachat3Clues],
  ['minicpm5', minicpm5Clues],
  ['glm-4.5', glm45Clues],
  ['qwen3-coder', qwen3CoderClues],
  ['ernie45', ernie45Clues],
  ['granite', graniteClues],
  ['hermes', hermesClues],
  ['seed-oss', seedOssClues],
  ['mistral-args', mistralArgsClues],
  ['mistral-json', mistralJsonClues],
  ['functools', functoolsClues],
  ['functionary-v3.2', functionaryV32Clues],
  ['apriel', aprielClues],
  ['hunyuan-a13b', hunyuanA13bClues],
  ['minimax-m1', minimaxM1Clues],
  ['jamba', jambaClues],
  ['llama3-function', llama3FunctionClues],
  ['llama3-json', llama3JsonClues],
  ['granite-20b-fc', granite20bFcClues],
  ['glm-4.7', glm47Clues],
  ['xlam', xlamClues],
  ['gemma3-tool-code', gemma3ToolCodeClues],
  ['pythonic', pythonicClues],
  ['plain-json', plainJsonClues],
];

export const PROMPTS: Readonly<Record<string, () => PromptWriter>> = {
  'minimax-m3': minimaxM3Prompt,
  'minimax-m2': minimaxM2Prompt,
  'deepseek-v3.2': deepseekV32Prompt,
  'deepseek-v4': deepseekV4Prompt,
  'kimi-k2': kimiK2Prompt,
  'kimi-k3': kimiK3Prompt,
  'deepseek-v3': deepseekV3Prompt,
  'deepseek-v3.1': deepseekV31Prompt,
  step3: step3Prompt,
  muse: musePrompt,
  inkling: inklingPrompt,
  harmony: harmonyPrompt,
  dots: dotsPrompt,
  'k2-horizon': k2HorizonPrompt,
  plamo3: plamo3Prompt,
  longcat: longcatPrompt,
  apertus: apertusPrompt,
  'solar-open': solarOpenPrompt,
  functiongemma: functiongemmaPrompt,
  gemma4: gemma4Prompt,
  lfm2: lfm2Prompt,
  'llama4-pythonic': llama4PythonicPrompt,
  'nemotron-nano-v2': nemotronNanoV2Prompt,
  olmo3: olmo3Prompt,
  'hy-v3': hyV3Prompt,
  'command-r7b': commandR7bPrompt,
  'command-r-plus': commandRPlusPrompt,
  internlm2: internlm2Prompt,
  gigachat3: gigachat3Prompt,
  minicpm5: minicpm5Prompt,
  'glm-4.5': glm45Prompt,
  'qwen3-coder': qwen3CoderPrompt,
  ernie45: ernie45Prompt,
  granite: granitePrompt,
  hermes: hermesPrompt,
  'seed-oss': seedOssPrompt,
  'mistral-args': mistralArgsPrompt,
  'mistral-json': mistralJsonPrompt,
  functools: functoolsPrompt,
  'functionary-v3.2': functionaryV32Prompt,
  apriel: aprielPrompt,
  'hunyuan-a13b': hunyuanA13bPrompt,
  'minimax-m1': minimaxM1Prompt,
  jamba: jambaPrompt,
  'llama3-function': llama3FunctionPrompt,
  'llama3-json': llama3JsonPrompt,
  'granite-20b-fc': granite20bFcPrompt,
  'glm-4.7': glm47Prompt,
  xlam: xlamPrompt,
  'gemma3-tool-code': gemma3ToolCodePrompt,
  pythonic: pythonicPrompt,
  react: reactPrompt,
  'plain-json': plainJsonPrompt,
  edison: edisonPrompt,
};
