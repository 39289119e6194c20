/** A session goes on with the head that it began with, also when a tool became usable in between. */

import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { expectWithin } from '../../../../tests/support/budget.ts';
import type { Event } from '../../../core/events.ts';
import { promptPrefix } from '../../../core/window/prefix.ts';
import { estimateTokens } from '../../../core/window/tokens.ts';
import { toolsTokens } from '../../../core/window.ts';
import { BUILT_IN_TOOLS } from '../../../tools/index.ts';
import { createToolRegistry } from '../run-tool/tool-registry.ts';
import { type SessionHead, sessionPromptPrefix, type ToolsAsNamed } from './prompt-prefix.ts';

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
    expect(systemOf(all, true)).not.toMatch(/edit|task list.*step/);
    expect(systemOf(['get_current_time'])).not.toMatch(/file|folder|command/);
    expect(systemOf([])).toContain('You have no tools here');
  });

  const registry = createToolRegistry(BUILT_IN_TOOLS);
  const headFor = (contextTokens: number | undefined, toolsAsNamed: ToolsAsNamed, events: readonly Event[] = []) =>
    sessionPromptPrefix({ size: 'small', toolsAsNamed }, { registry, contextTokens, events });
  const namesIn = ({ registry: { schemas } }: SessionHead) => schemas.map((schema) => schema.function.name);
  const all = registry.schemas.map((schema) => schema.function.name);
  const sizeOf = ({ system, registry: { schemas } }: SessionHead) => estimateTokens(system) + toolsTokens(schemas);

  it.each<[window: number | undefined, named: ToolsAsNamed, isWhole: boolean]>([
    [undefined, 'where_they_fit', true],
    [32_768, 'where_they_fit', true],
    [8_192, 'where_they_fit', true],
    [2_048, 'where_they_fit', false],
    [2_048, true, true],
    [32_768, false, false],
  ])('describes a list of all tools in full in a window of %s, %s: %s', (contextTokens, named, isWhole) => {
    verifies('B8');
    const head = headFor(contextTokens, named);
    if (isWhole) expect(namesIn(head)).toEqual(all);
    else {
      expect(namesIn(head)).toContain('use_tool');
      const advice =
        'In the smallest window the tools that most messages do without are told by name alone: see tier.ts.';
      expectWithin({ what: 'Instructions and tools at 2,048', most: 1_200, unit: 'tokens', advice }, sizeOf(head));
    }
  });

  it('describes a few tools in full in the smallest window', () => {
    const registry = createToolRegistry(BUILT_IN_TOOLS.filter(({ name }) => ['read_file', 'ls'].includes(name)));
    const head = sessionPromptPrefix(
      { toolsAsNamed: 'where_they_fit' },
      { registry, contextTokens: 2_048, events: [] },
    );
    expect(namesIn(head)).toEqual(['ls', 'read_file'].filter((name) => namesIn(head).includes(name)));
    expect(namesIn(head)).toHaveLength(2);
  });

  it('goes on as it began where a window is learned that has room, and is shorter where it has none', () => {
    verifies('B4', 'B8');
    const started = ({ system, registry: { schemas }, tier }: SessionHead): Event[] => [
      {
        seq: 1,
        at: 0,
        type: 'session_started',
        version: 1,
        session_id: 's',
        workspace: '.',
        model: 'm',
        head: promptPrefix(system, schemas, tier),
      },
    ];
    const unknown = started(headFor(undefined, 'where_they_fit'));
    expect(headFor(16_384, 'where_they_fit', unknown)).toMatchObject({ isShortened: false, broken: undefined });
    const shorter = headFor(2_048, 'where_they_fit', unknown);
    expect(shorter.isShortened).toBe(true);
    expect(namesIn(shorter)).toContain('use_tool');
    // What began so stays so, in a larger window too.
    const small = started(headFor(2_048, 'where_they_fit'));
    for (const window of [2_048, 32_768]) {
      const later = headFor(window, 'where_they_fit', small);
      expect([window, later.isShortened, later.broken]).toEqual([window, false, undefined]);
    }
  });
});
