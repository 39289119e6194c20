import { expect, it } from 'vitest';
import type { AskedPermission } from '../state/api.ts';
import { askedCall } from './asked-call.ts';
import { isLoud, riskNameOf } from './risk-words.ts';

const asked: Omit<AskedPermission, 'risk'> = {
  tool_call_id: 'c',
  name: 'bash',
  arguments: { command: 'echo two' },
  preview: null,
  rule: 'bash',
};

it.each([
  ['high', true, 'READS ONLY', false],
  ['high', undefined, 'HIGH', true],
  ['medium', undefined, 'MEDIUM', false],
  ['safe', undefined, 'SAFE', false],
] as const)('the inbox names the risk %s (reads only: %s) as the question does: %s', (risk, reads, words, isRed) => {
  const call = askedCall({ ...asked, risk, ...(reads ? { only_reads: reads } : {}) });
  expect([riskNameOf(call), isLoud(call)]).toEqual([words, isRed]);
});

it.each([[true], [undefined]] as const)('the inbox names the sandbox where the question does: %s', (said) => {
  const call = askedCall({ ...asked, risk: 'high', ...(said ? { in_sandbox: said } : {}) });
  expect(call.inSandbox).toBe(said);
});
