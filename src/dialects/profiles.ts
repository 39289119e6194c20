/** Which dialect a model speaks, by the text of its chat template or by its name. */

type Clue = { dialect: string; words: readonly string[] };

/** A line for each dialect: its clues, each of words with two blanks between them, all of which must be there. */
const clues = (lines: string): (() => readonly Clue[]) => {
  let read: Clue[] | undefined;
  return () => {
    read ??= lines
      .trim()
      .split('\n')
      .flatMap((line) => {
        const end = line.indexOf(': ');
        const words = line.slice(end + 2).split(' | ');
        return words.map((clue) => ({ dialect: line.slice(0, end), words: clue.split('  ') }));
      });
    return read;
  };
};

/** Told by what the template writes. The first clue that fits counts. */
const BY_TEMPLATE = /* @__PURE__ */ clues(`
minimax-m3: ]<]minimax[>[
minimax-m2: <minimax:tool_call>
deepseek-v3.2: ｜DSML｜  function_calls
deepseek-v4: ｜DSML｜
seed-oss: <seed:tool_call>
kimi-k2: <|tool_calls_section_begin|>
kimi-k3: <|open|>  <|sep|>
deepseek-v3: <｜tool▁calls▁begin｜>  \`\`\`json
deepseek-v3.1: <｜tool▁calls▁begin｜>
step3: <steptml:invoke
muse: <atem:function_calls>
inkling: <|content_invoke_tool_json|>
harmony: <|channel|>  <|message|>
dots: <dots_function_call>
k2-horizon: <ifm|tool_call
plamo3: <|plamo:begin_tool_request
longcat: <longcat_tool_call>
apertus: <|tools_prefix|>
solar-open: <|tool_call:begin|>
functiongemma: <start_function_call>
gemma4: <|tool_call>  call:
lfm2: <|tool_call_start|> | <|tool_list_start|>
llama4-pythonic: <|python_start|>
nemotron-nano-v2: <TOOLCALL>
olmo3: <function_calls>
hy-v3: <tool_sep
command-r7b: <|START_ACTION|>
command-r-plus: Action: \`\`\`json
internlm2: <|action_start|>
gigachat3: <|role_sep|>  function call | <|function_call|>  <|role_sep|>
minicpm5: <function name=
glm-4.5: <arg_key>  <tool_call>
qwen3-coder: <tool_call>  <function=
ernie45: <tool_call>  <response>
granite: <|tool_call|>
hermes: <tool_call>
mistral-args: [TOOL_CALLS]  [ARGS]
mistral-json: [TOOL_CALLS]
functools: functools[
functionary-v3.2: >>>  all\\n | >>>all
apriel: [BEGIN FINAL RESPONSE]
hunyuan-a13b: <tool_calls>  <answer>
minimax-m1: <tool_calls>  tool result:
apriel: <tool_calls>  <|available_tools|>
jamba: <tool_calls>
llama3-function: <function=
llama3-json: <|python_tag|> | "parameters":  <|eot_id|>
granite-20b-fc: <function_call>
`);

/** Told by the name, which is compared in lower case without the blanks, dots and dashes that people vary. */
const BY_NAME = /* @__PURE__ */ clues(`
harmony: gptoss
functiongemma: functiongemma
gemma4: gemma4
gemma3-tool-code: gemma
hermes: hermes
qwen3-coder: qwen3coder | qwen35 | qwen36 | qwen38
plain-json: qwen25coder
hermes: qwen | qwq
qwen3-coder: nemotron3
nemotron-nano-v2: nemotronnano  v2 | nemotronnano
qwen3-coder: step35 | mimo | ornith | nanbeige
step3: step3
seed-oss: seedoss
llama3-function: functionary  v31
functionary-v3.2: functionary
functools: firefunction | phi4mini
xlam: xlam
pythonic: toolace
llama4-pythonic: llama4
pythonic: llama32
llama3-json: llama3
mistral-json: mistralnemo | mixtral | mistral7b | mistrallarge
mistral-args: mistral | magistral | devstral | ministral
mistral-json: codestral
deepseek-v4: deepseekv4
deepseek-v3.2: deepseekv32
deepseek-v3.1: deepseekv31
deepseek-v3: deepseek | cogito
kimi-k3: kimik3
kimi-k2: kimi
glm-4.7: glm47 | glm5
glm-4.5: glm | ling3 | laguna
glm-4.7: spark25
minimax-m3: minimaxm3
minimax-m2: minimaxm2
minimax-m1: minimax
granite-20b-fc: granite20b
hermes: granite4
granite: granite
command-r-plus: commandrplus
command-r7b: commandr7b | commanda
command-r-plus: commandr
command-r7b: c4ai
hunyuan-a13b: hunyuan
hy-v3: hy3 | hy4
jamba: jamba
apriel: apriel
internlm2: internlm | interns1
lfm2: lfm2
ernie45: ernie
olmo3: olmo3
apertus: apertus
solar-open: solaropen
longcat: longcat
gigachat3: gigachat
minicpm5: minicpm5
dots: dots
muse: muse
inkling: inkling
k2-horizon: k2horizon
plamo3: plamo3
hermes: smollm3 | bielik | reka | exaone
`);

const fitting = (list: readonly Clue[], text: string): string | undefined =>
  list.find(({ words }) => words.every((word) => text.includes(word)))?.dialect;

/** The dialect of a model. The template is the better witness; with neither, or no clue in them, undefined. */
export const detectDialect = ({ model, template }: { model?: string; template?: string }): string | undefined =>
  (template === undefined ? undefined : fitting(BY_TEMPLATE(), template)) ??
  (model === undefined ? undefined : fitting(BY_NAME(), model.toLowerCase().replaceAll(/[^a-z0-9]/g, '')));

/** The generation prompt leaves the model inside a reasoning block, so its text begins there. */
export const startsInReasoning = (generationPrompt: string): boolean => {
  const end = generationPrompt.trimEnd();
  return REASONING_OPENERS.some((opener) => end.endsWith(opener));
};

const REASONING_OPENERS = [
  '<think>',
  '[THINK]',
  '<seed:think>',
  '<longcat_think>',
  '<mm:think>',
  '<ifm|think>',
  '<|think|>',
  '<|START_THINKING|>',
  '<|inner_prefix|>',
  '<|open|>think<|sep|>',
  '<|content_thinking|>',
  '<|plamo:begin_think:plamo|>',
  '<think:opensource>',
  'Here are my reasoning steps:',
];
