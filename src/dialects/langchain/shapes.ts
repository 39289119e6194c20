/** What LangChain's chat models take and give, as far as it is looked at. By shape and without an import. */
import type { JsonSchema } from '../../core/json.ts';

export type ContentBlock = { type: string; text?: string };
/** A call, one that the client could not read, or a piece of one. */
export type Call = {
  name?: string | undefined;
  args?: unknown;
  id?: string | undefined;
  index?: number;
  error?: string;
};
export type Message = {
  _getType(): string;
  content: string | ContentBlock[];
  tool_calls?: Call[];
  invalid_tool_calls?: Call[];
  tool_call_chunks?: Call[];
  tool_call_id?: string;
  additional_kwargs?: Record<string, unknown>;
  response_metadata?: Record<string, unknown>;
};
export type Generation = { text: string; message: Message; generationInfo?: Record<string, unknown> };
export type Chunk = Generation & { concat(next: Chunk): Chunk };

export type CallOptions = {
  tools?: readonly object[];
  /** A word, a name, or an object with one: every client has its own. */
  tool_choice?: unknown;
  response_format?: { type?: string; json_schema?: { schema?: unknown } };
  /** Ollama's: `json`, or a schema. */
  format?: unknown;
  ls_structured_output_format?: { schema?: JsonSchema };
};
export type RunManager = { handleLLMNewToken(text: string, ...more: unknown[]): Promise<void> };
