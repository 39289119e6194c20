import { type Clues, type Grammar, JSON_BODY } from './engine/grammar.ts';
import { offerWith, type PromptCall, type PromptWriter, spacedJson } from './engine/prompt.ts';

const callText = ({ name, arguments: args }: PromptCall): string =>
  `    ${spacedJson({ tool_name: name, parameters: args })}`;

/** Command R and R+: an array in a fence behind a word. */
export const grammar: Grammar = {
  name: 'command-r-plus',
  calls: [
    {
      open: ['Action:'],
      bodies: [JSON_BODY],
      atLineStart: true,
      ignores: ['directly_answer', 'directly-answer'],
    },
  ],
};

export const clues: Clues = {
  template: ['Action: ```json'],
  model: ['commandrplus', 'commandr', ['c4ai', 'commandr']],
};

export const prompt = (): PromptWriter => ({
  offer: offerWith(
    'Write \'Action:\' followed by a JSON list of the calls:\nAction: ```json\n[\n    {"tool_name": <name>, "parameters": <arguments as a JSON object>}\n]```',
  ),
  calls: (calls) => `Action: \`\`\`json\n[\n${calls.map(callText).join(',\n')}\n]\`\`\``,
  result: ({ content }) => `<results>\n${content}\n</results>`,
});
