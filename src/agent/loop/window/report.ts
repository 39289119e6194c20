/** What fills the window of a session, or of one that would begin now, without sending anything. */

import type { Event } from '../../../core/events.ts';
import { projectForModel } from '../../../core/project.ts';
import type { ResultForm } from '../../../core/tool/model-content.ts';
import type { ToolSchema } from '../../../core/tool.ts';
import {
  answerReserve,
  createPromptMeter,
  lastCounted,
  toolsTokens,
  type WindowPart,
  windowParts,
} from '../../../core/window.ts';

export type ContextReport = {
  session_id: string | null;
  model: string | null;
  /** Tokens; null where the server does not say. */
  context_length: number | null;
  parts: WindowPart[];
  tools: { name: string; tokens: number }[];
  /** Estimated, corrected by what the server counted where it did. */
  total_tokens: number;
  /** The server's count of the last prompt of the session. */
  counted_tokens: number | null;
  /** Kept free for the answer. */
  reserved_tokens: number | null;
};

export const contextReport = (facts: {
  sessionId: string | undefined;
  events: readonly Event[];
  model: string | undefined;
  contextTokens: number | undefined;
  system: string;
  schemas: readonly ToolSchema[];
  ending(text: string): string | undefined;
  results: ResultForm;
  summaryCharacters: number;
}): ContextReport => {
  const { contextTokens, schemas, events } = facts;
  const messages = projectForModel(events, {
    system: facts.system,
    results: facts.results,
    summaryCharacters: facts.summaryCharacters,
    ending: facts.ending,
  });
  const meter = createPromptMeter(schemas);
  const counted = lastCounted(events);
  return {
    session_id: facts.sessionId ?? null,
    model: facts.model ?? null,
    context_length: contextTokens ?? null,
    parts: windowParts(messages, schemas),
    tools: schemas.map((schema) => ({ name: schema.function.name, tokens: toolsTokens([schema]) })),
    total_tokens: meter.size(facts.model ?? '', messages).tokens,
    counted_tokens: counted?.prompt_tokens ?? null,
    reserved_tokens: contextTokens === undefined ? null : answerReserve(contextTokens),
  };
};
