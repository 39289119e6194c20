import type { ChannelMeaning, Clues, Grammar } from './engine/grammar.ts';
import { eachCall, type PromptWriter, spacedJson } from './engine/prompt.ts';

const NOBODY = new Set(['assistant', 'user', 'all', 'system']);

/**
 * `<|start|>assistant<|channel|>commentary to=functions.N <|constrain|>json`, in any order. A recipient makes a call of a
 * message on whatever channel; without one the last channel that is named counts.
 */
const read = (header: string): ChannelMeaning => {
  for (const part of header.split('to=').slice(1)) {
    const end = part.search(/[\s<]/);
    const recipient = end < 0 ? part : part.slice(0, end);
    if (recipient === 'self') return { to: 'reasoning' };
    if (recipient !== '' && !NOBODY.has(recipient)) return { to: 'tool', name: recipient };
  }
  const channel = header.split('<|channel|>').at(-1) ?? '';
  return { to: channel.trim().startsWith('analysis') ? 'reasoning' : 'text' };
};

/** gpt-oss. The calling token is a stop token and nearly always missing. */
export const grammar: Grammar = {
  name: 'harmony',
  calls: [],
  channels: [
    {
      open: ['<|start|>', '<|channel|>'],
      startsWith: ['to='],
      headerEnd: ['<|message|>'],
      close: ['<|end|>', '<|return|>', '<|call|>'],
      read,
      bodies: [],
    },
  ],
};

export const clues: Clues = { template: [['<|channel|>', '<|message|>']], model: ['gptoss'] };

export const prompt = (): PromptWriter => ({
  offer: (tools) =>
    `# Tools\n\n## functions\n\nCalls go to the commentary channel, to=functions.NAME, with JSON arguments.\n\nnamespace functions {\n\n${tools
      .map(
        ({ function: { name, description, parameters } }) =>
          `// ${description}\n// arguments: ${spacedJson(parameters)}\ntype ${name} = (_: object) => any;`,
      )
      .join('\n\n')}\n\n} // namespace functions`,
  calls: eachCall(
    ({ name, arguments: args }) =>
      `<|channel|>commentary to=functions.${name} <|constrain|>json<|message|>${spacedJson(args)}<|call|>`,
    '<|start|>assistant',
  ),
  result: ({ name, content }) =>
    `<|start|>functions.${name} to=assistant<|channel|>commentary<|message|>${content}<|end|>`,
});
