/** The engines that halter is compared with: which version, where it comes from, and how it is set up for a format. */

/** The names under which an engine knows a format. `reasoning` is absent where it has no parser of reasoning for it. */
export type Setup = { parser: string; reasoning?: string };

export type Engine = {
  name: string;
  package: string;
  version: string;
  driver: string;
  /** What its parsers import and what is small; everything else gets a stand-in. Pinned, so that a run can be repeated. */
  dependencies: readonly string[];
  /** Arguments for `pip download`. */
  download: readonly string[];
  /** Environment for `pip download`. */
  environment?: Readonly<Record<string, string>>;
  formats: Readonly<Record<string, Setup>>;
};

/** What a server of this model family would be started with, as SGLang's own lists of names say it. */
const SGLANG_FORMATS: Readonly<Record<string, Setup>> = {
  apertus: { parser: 'apertus2509', reasoning: 'apertus2509' },
  'command-r7b': { parser: 'cohere_command4', reasoning: 'cohere_command4' },
  'deepseek-v3': { parser: 'deepseekv3', reasoning: 'deepseek-v3' },
  'deepseek-v3.1': { parser: 'deepseekv31', reasoning: 'deepseek-v3' },
  'deepseek-v3.2': { parser: 'deepseekv32', reasoning: 'deepseek-v3' },
  'deepseek-v4': { parser: 'deepseekv4', reasoning: 'deepseek-v4' },
  dots: { parser: 'dots', reasoning: 'dots' },
  gemma4: { parser: 'gemma4', reasoning: 'gemma4' },
  gigachat3: { parser: 'gigachat3' },
  'glm-4.5': { parser: 'glm45', reasoning: 'glm45' },
  'glm-4.7': { parser: 'glm47', reasoning: 'glm45' },
  harmony: { parser: 'gpt-oss', reasoning: 'gpt-oss' },
  hermes: { parser: 'qwen25', reasoning: 'qwen3' },
  'hy-v3': { parser: 'hunyuan', reasoning: 'hunyuan' },
  inkling: { parser: 'inkling', reasoning: 'inkling' },
  internlm2: { parser: 'interns1', reasoning: 'interns1' },
  'k2-horizon': { parser: 'k2_horizon', reasoning: 'k2_horizon' },
  'kimi-k2': { parser: 'kimi_k2', reasoning: 'kimi_k2' },
  'kimi-k3': { parser: 'kimi_k3', reasoning: 'kimi_k3' },
  lfm2: { parser: 'lfm2', reasoning: 'qwen3' },
  'llama3-json': { parser: 'llama3' },
  'llama4-pythonic': { parser: 'pythonic' },
  minicpm5: { parser: 'minicpm5', reasoning: 'qwen3' },
  // The parser named `minimax` takes everything for reasoning until a close tag comes; `qwen3` is the same one without.
  'minimax-m2': { parser: 'minimax-m2', reasoning: 'qwen3' },
  'minimax-m3': { parser: 'minimax-m3', reasoning: 'minimax-m3' },
  'mistral-args': { parser: 'mistral', reasoning: 'mistral' },
  'mistral-json': { parser: 'mistral', reasoning: 'mistral' },
  muse: { parser: 'muse', reasoning: 'muse' },
  pythonic: { parser: 'pythonic' },
  'qwen3-coder': { parser: 'qwen3_coder', reasoning: 'qwen3' },
  step3: { parser: 'step3', reasoning: 'qwen3' },
};

export const ENGINES: readonly Engine[] = [
  {
    name: 'sglang',
    package: 'sglang',
    version: '0.5.23',
    driver: 'sglang_driver.py',
    dependencies: [
      'msgspec==0.22.0',
      'openai==2.8.0',
      'orjson==3.13.0',
      'partial-json-parser==0.2.1.1.post7',
      'pydantic==2.14.3',
      'regex==2026.11.15',
    ],
    // Only its Python files are read, so every machine may take the same wheel.
    download: [
      '--only-binary=:all:',
      '--python-version=3.11',
      '--implementation=cp',
      '--abi=cp311',
      '--platform=manylinux_2_34_x86_64',
    ],
    formats: SGLANG_FORMATS,
  },
];
