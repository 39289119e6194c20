/** What fills the window of a session, or of one that would begin now, without sending anything. */

import type { Event } from '../../../core/events.ts';
import type { Usage } from '../../../core/message.ts';
import { createProjection, type ProjectionOptions } from '../../../core/model-projection.ts';
import { activePath } from '../../../core/session-tree.ts';
import type { ToolSchema } from '../../../core/tool.ts';
import { lastCompaction } from '../../../core/window/compaction.ts';
import {
  answerReserve,
  createPromptMeter,
  lastCounted,
  partsTogether,
  toolsLabel,
  toolsTokens,
  type WindowPart,
  windowParts,
} from '../../../core/window.ts';

export type ContextReport = {
  session_id: string | null;
  model: string | null;
  /** Tokens; null where the server does not say. */
  context_length: number | null;
  /** Together they are `total_tokens`. */
  parts: WindowPart[];
  /** Together they are the part of the tools. */
  tools: { name: string; tokens: number }[];
  /** Estimated, corrected by what the server counted where it did. */
  total_tokens: number;
  /** The server's count of the last prompt of the session. */
  counted_tokens: number | null;
  /** Kept free for the answer. */
  reserved_tokens: number | null;
};

export const contextReport = (
  facts: ProjectionOptions & {
    sessionId: string | undefined;
    events: readonly Event[];
    model: string | undefined;
    contextTokens: number | undefined;
    schemas: readonly ToolSchema[];
  },
): ContextReport => {
  const { contextTokens, schemas, events, model = '' } = facts;
  const path = activePath(events);
  const answered = path.findLastIndex(
    (event) => event.type === 'assistant_message_added' && event.message.usage && !event.prompt?.other_usage,
  );
  const projection = createProjection(facts);
  for (const event of path.slice(0, Math.max(0, answered))) projection.add(event);
  const meter = createPromptMeter(schemas);
  // What the server counted of its last prompt says how far the estimate is off.
  const usage = usageOf(path[answered]);
  if (usage) meter.counted(model, [...projection.messages()], usage);
  for (const event of path.slice(Math.max(0, answered))) projection.add(event);
  const messages = projection.messages();
  const total = meter.size(model, messages).tokens;
  const parts = partsTogether(windowParts(messages, schemas, lastCompaction(path)?.summary), total);
  const each = schemas.map((schema) => ({ name: schema.function.name, tokens: toolsTokens([schema]) }));
  return {
    session_id: facts.sessionId ?? null,
    model: facts.model ?? null,
    context_length: contextTokens ?? null,
    parts,
    tools: partsTogether(each, parts.find(({ label }) => label === toolsLabel(schemas))?.tokens ?? 0),
    total_tokens: total,
    counted_tokens: lastCounted(events)?.prompt_tokens ?? null,
    reserved_tokens: contextTokens === undefined ? null : answerReserve(contextTokens),
  };
};

const usageOf = (event: Event | undefined): Usage | undefined =>
  event?.type === 'assistant_message_added' ? event.message.usage : undefined;
