/** The engines that halter is compared with: which version, where it comes from, and how it is set up for a format. */

/** The names under which an engine knows a format. `reasoning` is absent where it has no parser of reasoning for it. */
export type Setup = {
  parser: string;
  reasoning?: string;
  /** Tokens that models of this format do not have, though others with the same parser do. */
  lacks?: readonly string[];
};

export type Engine = {
  name: string;
  package: string;
  version: string;
  driver: string;
  /** What its parsers import and what is small; everything else gets a stand-in. Pinned, so that a run can be repeated. */
  dependencies: readonly string[];
  /** Arguments for `pip download`. */
  download: readonly string[];
  /** What `pip download` needs where it runs a `setup.py`. */
  buildTools?: readonly string[];
  /** Where in the archive the Python packages lie. */
  sourceFolder?: string;
  /** Environment for `pip download`. */
  environment?: Readonly<Record<string, string>>;
  /**
   * Its parsers of reasoning hold everything for reasoning until a close tag comes, unless the prompt closed it. So
   * they take part only where the text thinks, as a server knows it from the prompt.
   */
  reasoningWhereTextThinks: boolean;
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

/** As vLLM registers them. Its parsers of harmony and Command R7B need compiled libraries, that of Hunyuan A13B knows token
 * numbers of the real vocabulary; they are left out. */
const VLLM_FORMATS: Readonly<Record<string, Setup>> = {
  apertus: { parser: 'apertus' },
  'deepseek-v3': { parser: 'deepseek_v3', reasoning: 'deepseek_r1' },
  'deepseek-v3.1': { parser: 'deepseek_v31', reasoning: 'deepseek_r1' },
  'deepseek-v3.2': { parser: 'deepseek_v32', reasoning: 'deepseek_r1' },
  'deepseek-v4': { parser: 'deepseek_v4', reasoning: 'deepseek_v4' },
  dots: { parser: 'dots', reasoning: 'deepseek_r1' },
  ernie45: { parser: 'ernie45', reasoning: 'ernie45' },
  functiongemma: { parser: 'functiongemma' },
  functools: { parser: 'phi4_mini_json' },
  gemma4: { parser: 'gemma4', reasoning: 'gemma4' },
  gigachat3: { parser: 'gigachat3' },
  'glm-4.5': { parser: 'glm45', reasoning: 'glm45' },
  'glm-4.7': { parser: 'glm47', reasoning: 'glm47' },
  granite: { parser: 'granite' },
  'granite-20b-fc': { parser: 'granite-20b-fc' },
  hermes: { parser: 'hermes', reasoning: 'deepseek_r1' },
  'hy-v3': { parser: 'hy_v3', reasoning: 'hy_v3' },
  inkling: { parser: 'inkling', reasoning: 'inkling' },
  internlm2: { parser: 'internlm' },
  jamba: { parser: 'jamba' },
  'k2-horizon': { parser: 'k2_horizon', reasoning: 'k2_horizon' },
  'kimi-k2': { parser: 'kimi_k2', reasoning: 'kimi_k2' },
  'kimi-k3': { parser: 'kimi_k3', reasoning: 'kimi_k3' },
  lfm2: { parser: 'lfm2', reasoning: 'deepseek_r1' },
  'llama3-json': { parser: 'llama3_json' },
  'llama4-pythonic': { parser: 'llama4_pythonic' },
  longcat: { parser: 'longcat' },
  minicpm5: { parser: 'minicpm5', reasoning: 'deepseek_r1' },
  'minimax-m2': { parser: 'minimax_m2', reasoning: 'minimax_m2' },
  'minimax-m3': { parser: 'minimax_m3', reasoning: 'minimax_m3' },
  'mistral-args': { parser: 'mistral', reasoning: 'mistral' },
  'mistral-json': { parser: 'mistral', reasoning: 'mistral', lacks: ['[ARGS]', '[THINK]', '[/THINK]'] },
  muse: { parser: 'muse', reasoning: 'muse' },
  olmo3: { parser: 'olmo3', reasoning: 'deepseek_r1' },
  plamo3: { parser: 'plamo3', reasoning: 'plamo3' },
  pythonic: { parser: 'pythonic', reasoning: 'deepseek_r1' },
  'qwen3-coder': { parser: 'qwen3_coder', reasoning: 'qwen3' },
  'seed-oss': { parser: 'seed_oss', reasoning: 'seed_oss' },
  step3: { parser: 'step3', reasoning: 'step3' },
  xlam: { parser: 'xlam', reasoning: 'deepseek_r1' },
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
    reasoningWhereTextThinks: false,
    formats: SGLANG_FORMATS,
  },
  {
    name: 'vllm',
    package: 'vllm',
    version: '0.33.0',
    driver: 'vllm_driver.py',
    sourceFolder: 'vllm-0.33.0',
    dependencies: [
      'ijson==3.6.0',
      'jsonschema==4.26.0',
      'lark==1.2.2',
      'msgspec==0.22.0',
      'openai==3.54.0',
      'orjson==3.13.0',
      'partial-json-parser==0.2.1.1.post7',
      'pydantic==2.14.3',
      'regex==2026.11.15',
    ],
    // The sources: its wheels hold hundreds of megabytes of compiled code. pip runs their
    // `setup.py` to learn their version; `upstream/build` holds what that imports beside the build tools.
    download: ['--no-binary=vllm', '--no-build-isolation'],
    environment: { VLLM_TARGET_DEVICE: 'empty', VLLM_VERSION_OVERRIDE: '0.33.0' },
    buildTools: [
      'jinja2==3.1.6',
      'packaging==26.3',
      'setuptools==84.2.1',
      'setuptools_rust==1.13.0',
      'setuptools_scm==10.3.4',
      'wheel==0.48.0',
    ],
    reasoningWhereTextThinks: true,
    formats: VLLM_FORMATS,
  },
];
