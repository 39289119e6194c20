import type { ToolContext } from '../../core/tool.ts';

/** Of these sentences those that name tools which the model can call. */
export const sayOffered = (
  { offers = () => true }: Pick<ToolContext, 'offers'>,
  ...sentences: readonly (readonly [text: string, ...tools: string[]])[]
): string => sentences.map(([text, ...tools]) => (tools.every((name) => offers(name)) ? text : '')).join('');
