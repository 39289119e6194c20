import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { BUILT_IN_TOOLS } from '../../../tools/index.ts';
import { createToolRegistry } from '../run-tool/tool-registry.ts';
import { traceOf } from './plan-facts.ts';

const trace = traceOf(createToolRegistry([...BUILT_IN_TOOLS]));

describe('what a call leaves behind that is named when it is left out', () => {
  it.each([
    ['read_file', { path: 'src/a.ts' }, { kind: 'read', what: 'src/a.ts' }],
    ['bash', { command: 'cat src/a.ts' }, { kind: 'read', what: 'src/a.ts', isPart: true }],
    ['bash', { command: "sed -n '1,80p' src/a.ts" }, { kind: 'read', what: 'src/a.ts', isPart: true }],
    ['bash', { command: 'npm test' }, { kind: 'ran', what: 'npm test' }],
    ['edit_file', { path: 'src/a.ts', old_text: 'a', new_text: 'b' }, { kind: 'changed', what: 'src/a.ts' }],
    ['write_file', { path: 'src/a.ts', content: 'b' }, { kind: 'changed', what: 'src/a.ts' }],
    ['grep_search', { pattern: 'a' }, { kind: 'looked_for', what: 'a' }],
    ['web_search', { query: 'a' }, { kind: 'looked_for', what: 'a' }],
    ['web_fetch', { url: 'https://a.test/' }, { kind: 'looked_for', what: 'https://a.test/' }],
    ['add_task', { content: 'a' }, undefined],
    ['generate_image', { prompt: 'a' }, undefined],
    ['nothing_of_the_kind', { path: 'src/a.ts' }, undefined],
  ])('%s %j', (name, args, left) => {
    verifies('B7');
    expect(trace({ id: 'a', name, arguments: args, source: 'native', repairs: [] })).toEqual(left);
  });
});
