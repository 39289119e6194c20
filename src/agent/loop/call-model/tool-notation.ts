/** Whether a model takes tools in its server's own field, and in which form they are told to it where it does not. */
import type { ModelInfo } from '../../../core/model-port.ts';
import { counted } from '../../../core/number-text.ts';
import { detectDialect } from '../../../dialects/index.ts';

/** The words of a person on why it does not; undefined where it does, or where nobody says. */
export const noToolsBecause = ({ tools, chat_template: template }: ModelInfo): string | undefined => {
  if (tools === true) return undefined;
  if (template !== undefined && !hasPlaceForTools(template)) return 'its chat template has no place for them';
  return tools === false ? 'its server says so' : undefined;
};

/**
 * Every template that offers tools names them in its code. Calls of before it may write without, and then it says nothing
 * of what can be called now.
 */
export const hasPlaceForTools = (template: string): boolean =>
  [...template.replace(COMMENT, '').matchAll(CODE)].some(([, code = '']) => TOOLS.test(code.replace(STRING, '')));
const COMMENT = /\{#[\s\S]*?#\}/g;
const CODE = /\{[{%]([\s\S]*?)[%}]\}/g;
const STRING = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/g;
/** The list itself, or the one of Ollama's templates; not a field of something else. */
const TOOLS = /(?<![.\w])tools\b|\.Tools\b/;

/** How turns look in a template that holds no other clue, with the form for calls that such models have seen. */
const FAMILIES: readonly (readonly [mark: string, dialect: string])[] = [
  ['[INST]', 'mistral-args'],
  ['<|start_header_id|>', 'llama3-function'],
  ['<start_of_turn>', 'gemma3-tool-code'],
  ['<|im_start|>', 'hermes'],
];
/** What most models have seen. */
const ANY_FAMILY = 'hermes';

export const familyOf = (facts: { model?: string; template?: string | undefined }): string => {
  const { model, template = '' } = facts;
  const known = detectDialect({ ...(model === undefined ? {} : { model }), template });
  return known ?? FAMILIES.find(([mark]) => template.includes(mark))?.[1] ?? ANY_FAMILY;
};

/** What a person is told of the way tools are had, at the first request that has some. */
export type ToolNotice = { code: string; message: string };

export const injectedNotice = (model: string, because: string): ToolNotice => ({
  code: 'tools_injected',
  message: `${model} takes no tools of its own accord: ${because}. They are described to it in the prompt, and calls may be less sure.`,
});

/** What is done where tools turn out to be left out: the person is told, and they are described in the prompt, or no more. */
export type UnsureTools = 'changed' | 'told';

export const leftOutNotice = (
  model: string,
  { read, tools, unsure }: { read: number; tools: number; unsure: UnsureTools },
): ToolNotice => ({
  code: 'tools_unseen',
  message: `${model} never saw its ${counted(tools, 'tool')}: its server counted ${counted(read, 'token')}, which is the conversation alone. ${
    unsure === 'changed'
      ? 'They are described to it in the prompt from now on, and calls may be less sure.'
      : '`--tool-strategy text` describes them to it in the prompt.'
  }`,
});
