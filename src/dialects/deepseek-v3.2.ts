import { type CallSyntax, type Clues, type Grammar, THINK } from './engine/grammar.ts';
import { type PromptWriter, rawText, tagsPrompt } from './engine/prompt.ts';

/** The word is one token; V4.1 puts a blank behind it, and some copies have ASCII bars. */
export const dsmlSpellings = (tag: string, slash = ''): string[] =>
  ['｜', '|'].flatMap((bar) => [`<${slash}${bar}DSML${bar}${tag}`, `<${slash}${bar}DSML${bar} ${tag}`]);

const WRAPPERS = ['function_calls', 'tool_calls', 'toolcalls', 'tool', 'calls'];

/** Elements that say themselves whether a value is a string. The wrapper is often missing. */
export const DSML_CALLS: readonly CallSyntax[] = [
  {
    open: [...WRAPPERS.flatMap((wrapper) => dsmlSpellings(`${wrapper}>`)), ...dsmlSpellings('invoke')],
    close: WRAPPERS.flatMap((wrapper) => dsmlSpellings(`${wrapper}>`, '/')),
    bodies: [
      {
        kind: 'tags',
        open: dsmlSpellings('invoke'),
        close: dsmlSpellings('invoke>', '/'),
        parameter: dsmlSpellings('parameter'),
        parameterClose: dsmlSpellings('parameter>', '/'),
      },
    ],
  },
];

export const dsmlPrompt = (wrapper: string): PromptWriter =>
  tagsPrompt({
    open: `<｜DSML｜${wrapper}>\n`,
    call: (name) => `<｜DSML｜invoke name="${name}">\n`,
    parameter: (key, value, isString) =>
      `<｜DSML｜parameter name="${key}" string="${isString}">${value}</｜DSML｜parameter>\n`,
    callClose: '</｜DSML｜invoke>\n',
    close: `</｜DSML｜${wrapper}>`,
    result: ({ content }) => `<function_results>\n<result>${rawText(content)}</result>\n</function_results>`,
  });

/** V3.2. */
export const grammar: Grammar = {
  name: 'deepseek-v3.2',
  reasoning: THINK,
  calls: DSML_CALLS,
};

export const clues: Clues = { template: [['｜DSML｜', 'function_calls']], model: ['deepseekv32'] };

export const prompt = (): PromptWriter => dsmlPrompt('function_calls');
