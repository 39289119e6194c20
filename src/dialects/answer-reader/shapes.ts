/** What is read out of an answer: the same parts for every library whose models are read. */
import type { JsonSchema } from '../../core/json.ts';

/** A piece of an answer, or of its stream; the names are those of the AI SDK. */
export type Part = { type: string; [field: string]: unknown };

export type FunctionTool = { name: string; description?: string; inputSchema?: JsonSchema };
