import { expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import * as checked from './checked.ts';
import * as core from './index.ts';

it('decides about an argument that is null as the function itself does', () => {
  verifies('Z8');
  const rules = {
    allow: [],
    deny: [{ tool: 'own', pattern: 'recipient=null', source: 'program' as const }],
    mode: 'yolo' as const,
  };
  const tool = { name: 'own', risk: 'high' as const, effects: 'write' as const };
  const ask = ({ evaluatePolicy }: Pick<typeof core, 'evaluatePolicy'>) =>
    evaluatePolicy(rules, tool, { recipient: null });
  expect(ask(checked)).toEqual(ask(core));
  expect(ask(core)).toMatchObject({ verdict: 'deny' });
});
