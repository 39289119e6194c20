/** Answers about the structure of code: who calls this, what does this file define, what does it use. */

import { LIMITS } from '../core/limits.ts';
import { GRAPH_RELATIONS, type GraphRelation } from '../core/retrieval-port.ts';
import { withoutIndex } from '../core/retrieval-settings.ts';
import { fail, ok } from '../core/tool-result.ts';
import { TOOL_LIMITS } from './limits.ts';
import { builtIn } from './support/built-in.ts';
import { refuse } from './support/refuse.ts';

export const codeGraph = builtIn({
  name: 'code_graph',
  description:
    'Ask how code hangs together: where a symbol is defined, what references, calls or contains it, and what files import.',
  risk: 'safe',
  effects: 'read',
  path_arguments: ['path'],
  main_argument: 'symbol',
  dispensable: true,
  unavailable: withoutIndex,
  parameters: {
    type: 'object',
    properties: {
      relation: { type: 'string', enum: [...GRAPH_RELATIONS] },
      symbol: { type: 'string' },
      path: { type: 'string' },
      limit: { type: 'integer', minimum: 1, maximum: TOOL_LIMITS.graphRows, default: LIMITS.graphRowsDefault },
    },
    required: ['relation'],
  },
  async run(args, { config, retrieval, workspace }) {
    if (retrieval === undefined) {
      return fail('not_found', withoutIndex(config) ?? 'There is no index here.', { reason: 'no_index' });
    }
    const symbol = textOf(args.symbol);
    const path = textOf(args.path);
    if (symbol === undefined && path === undefined) return fail('validation_failed', 'Name a symbol, a path, or both.');
    const place = path === undefined ? undefined : workspace.resolve(path);
    if (place && !place.ok) return refuse(place.error);
    const asked = await retrieval.graph.ask({
      relation: args.relation as GraphRelation,
      limit: Number(args.limit ?? LIMITS.graphRowsDefault),
      ...(symbol === undefined ? {} : { symbol }),
      ...(place === undefined ? {} : { path: place.value }),
    });
    if (!asked.ok) return refuse(asked.error);
    const { rows, more } = asked.value;
    return ok(rows, more > 0 ? { truncated: `the first ${rows.length} of ${rows.length + more}` } : undefined);
  },
  summarize: (result) => {
    try {
      const rows = JSON.parse(result.data ?? '[]') as {
        name: string;
        path?: string;
        line?: number;
        line_start?: number;
      }[];
      return rows.map(({ name, path, line, line_start }) => `${name} ${path ?? ''}:${line ?? line_start ?? ''}`);
    } catch {
      return [];
    }
  },
});

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
