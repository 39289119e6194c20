/** A session goes on with the head that it began with, also when a tool became usable in between. */

import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import type { Event } from '../../../core/events.ts';
import { promptPrefix } from '../../../core/window/prefix.ts';
import { BUILT_IN_TOOLS } from '../../../tools/index.ts';
import { createToolRegistry } from '../run-tool/tool-registry.ts';
import { sessionPromptPrefix } from './prompt-prefix.ts';

const headWith = (graph_rag: boolean, contextTokens: number, events: readonly Event[] = []) =>
  sessionPromptPrefix({}, { registry: createToolRegistry(BUILT_IN_TOOLS, { graph_rag }), contextTokens, events });

describe('the head of a session', () => {
  it.each([4_096, 32_768])('stays as it was when an index was made meanwhile (window of %i)', (contextTokens) => {
    verifies('B4');
    const first = headWith(false, contextTokens);
    const started = {
      seq: 1,
      at: 0,
      type: 'session_started' as const,
      version: 1,
      session_id: 's',
      workspace: '.',
      model: 'm',
      head: promptPrefix(first.system, first.registry.schemas, first.tier),
    };
    const later = headWith(true, contextTokens, [started]);
    expect(later.broken).toBeUndefined();
    expect(later.registry.schemas).toEqual(first.registry.schemas);
    expect(later.registry.get('rag_search')).toBeDefined();
    // A session that begins now has them.
    expect(JSON.stringify(headWith(true, contextTokens).registry.schemas)).toContain('rag_search');
  });

  it.each([4_096, 32_768])('speaks of the tools on offer alone (window of %i)', (contextTokens) => {
    verifies('B8');
    const systemOf = (names: readonly string[], plans = false) => {
      const registry = createToolRegistry(BUILT_IN_TOOLS.filter(({ name }) => names.includes(name)));
      return sessionPromptPrefix({}, { registry, contextTokens, events: [], plans }).system;
    };
    const all = BUILT_IN_TOOLS.map(({ name }) => name);
    expect(systemOf(all)).toContain('a command');
    expect(systemOf(all, true)).not.toMatch(/command|edit|task list.*step/);
    expect(systemOf(['get_current_time'])).not.toMatch(/file|folder|command/);
    expect(systemOf([])).toContain('You have no tools here');
  });
});
