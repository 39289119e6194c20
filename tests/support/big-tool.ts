import { defineTool } from '../../src/core/tool/define-tool.ts';

/** A safe tool `big` whose result is this text, again and again, up to about so many characters. */
export const bigTool = (text: string, characters: number) =>
  defineTool({
    name: 'big',
    description: 'Much.',
    risk: 'safe',
    effects: 'none',
    parameters: { type: 'object', properties: {} },
    run: async () => text.repeat(Math.ceil(characters / text.length)),
  });
