/**
 * How a model is had to call tools. `native`: by its server's own field. `text`: told of them in the prompt, its text is
 * read for calls. `led`: halter decides what is needed and has the engine write the values. `auto`: what suits the model.
 */
export const TOOL_STRATEGIES = ['auto', 'native', 'text', 'led'] as const;
export type ToolStrategy = (typeof TOOL_STRATEGIES)[number];
