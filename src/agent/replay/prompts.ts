/** Makes the prompts of a recorded session anew and holds them against what the record kept of those that were sent. */

import type { Event, PromptRecord } from '../../core/events.ts';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import type { ModelMessage } from '../../core/message.ts';
import { createProjection, type Projection } from '../../core/model-projection.ts';
import type { ResultForm } from '../../core/tool/model-content.ts';
import { lastCompaction } from '../../core/window/compaction.ts';
import { headOf, nameOf } from '../../core/window/prefix.ts';
import { formOf, messageDigest, recordedPrompt, sentText } from '../../core/window/prompt-record.ts';
import { toolFacts } from '../loop/run-tool/tool-facts.ts';
import { createToolRegistry, type ToolRegistry } from '../loop/run-tool/tool-registry.ts';
import { type SessionHead, sessionPromptPrefix } from '../loop/window/prompt-prefix.ts';

export type PromptDifference = { what: string; recorded: unknown; now: unknown };
export type PromptReplay = {
  /** `path`: the events that count, up to the answer. */
  compare(path: readonly Event[], record: PromptRecord): PromptDifference | undefined;
};

/** What the session began with, made anew of the tools of today: of all of them, or of those that it was given. */
export const recordedPrefix = (recorded: readonly Event[], registry: ToolRegistry): SessionHead => {
  const facts = { registry, events: recorded, contextTokens: undefined };
  const ofAll = sessionPromptPrefix({}, facts);
  if (ofAll.broken === undefined) return ofAll;
  const shown = new Set(headOf(recorded)?.tools.map(({ name }) => name));
  const given = createToolRegistry(registry.tools.filter(({ name }) => shown.has(name)));
  const ofThese = [false, true].map((toolsAsNamed) =>
    sessionPromptPrefix({ toolsAsNamed }, { ...facts, registry: given }),
  );
  return ofThese.find(({ broken }) => broken === undefined) ?? ofAll;
};

/** `head`: what `recordedPrefix` makes of the record. `registry`: every tool that may be named in it. */
export const createPromptReplay = (
  recorded: readonly Event[],
  head: SessionHead,
  registry: ToolRegistry,
): PromptReplay => {
  /** What a message of the person ends in depends on tools that are not all known here. */
  const knowsEndings = head.broken === undefined;
  const [first] = recorded;
  const start = first?.type === 'session_started' ? first : undefined;
  const system = headOf(recorded)?.system ?? '';
  const { summaryCharacters } = start?.limits ?? DEFAULT_LIMITS;
  let before: readonly string[] = [];
  let projection: { of: Projection; path: readonly Event[]; seen: number; results: string } | undefined;

  /** Goes on where the path only grew; a branch begins anew. */
  const messagesOf = (path: readonly Event[], results: ResultForm): readonly ModelMessage[] => {
    const grew =
      projection !== undefined &&
      projection.results === results &&
      projection.seen <= path.length &&
      projection.path[projection.seen - 1] === path[projection.seen - 1];
    if (projection === undefined || !grew) {
      const options = { system, results, summaryCharacters, ending: head.ending };
      const of = createProjection({ ...options, ...toolFacts(registry) });
      projection = { of, path, seen: 0, results };
    }
    for (const event of path.slice(projection.seen)) projection.of.add(event);
    Object.assign(projection, { path, seen: path.length });
    return projection.of.messages();
  };
  /** What is made of things that are not here today says nothing. */
  const isKnown = (message: ModelMessage, tier: PromptRecord['tier'], isAsItIs: boolean): boolean => {
    if (tier !== undefined && message.role === 'system') return false;
    if (message.role === 'user') return knowsEndings && tier === undefined;
    return message.role !== 'tool' || isAsItIs || registry.get(message.name) !== undefined;
  };

  return {
    compare(path, record) {
      const results = formOf(record);
      const sent = recordedPrompt(before, record);
      before = sent;
      const now = messagesOf(path, results);
      // How a result is told in short, its tool says.
      const isAsItIs = results !== 'summary' && lastCompaction(path) === undefined;
      for (const [index, message] of now.entries()) {
        if (sent[index] === messageDigest(message) || !isKnown(message, record.tier, isAsItIs)) continue;
        const place = `message ${index + 1} of the prompt (${nameOf(message)})`;
        return { what: place, recorded: sent[index] ? 'another text' : 'no such message', now: sentText(message) };
      }
      return sent.length > now.length
        ? { what: 'the length of the prompt', recorded: sent.length, now: now.length }
        : undefined;
    },
  };
};
