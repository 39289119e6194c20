/** Attack cases of our own, in the catalogue's form; a long run plays all, usually a part is played. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { AttackCase } from '../../conformance/attacks/attack-case.ts';
import { runAttack } from '../../conformance/attacks/run-attack.ts';
import { CONFORMANCE_LIMITS } from '../../conformance/limits.ts';
import { verifies } from '../requirements.ts';
import { everyNth } from '../support/long.ts';

const casesIn = (folder: string): AttackCase[] =>
  readdirSync(new URL(folder, import.meta.url))
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => JSON.parse(readFileSync(new URL(`${folder}/${name}`, import.meta.url), 'utf8')) as AttackCase[]);

const EVERY = 6;
const LONG_EVERY = 64;
/** Counted within each group, so that usually the first of every group is played. */
const partOf = (all: readonly AttackCase[], n: number): AttackCase[] =>
  [...new Set(all.map(({ group }) => group))].flatMap((group) =>
    everyNth(
      all.filter((one) => one.group === group),
      n,
    ),
  );

describe('attack cases of our own', { timeout: CONFORMANCE_LIMITS.caseMs }, () => {
  const cases = [...partOf(casesIn('attacks'), EVERY), ...partOf(casesIn('attacks/long'), LONG_EVERY)];
  it.for(cases)('$id', async (attack, test) => {
    verifies('H10', 'Z10', 'S30');
    const ending = await runAttack(attack);
    if (ending.state === 'skipped') test.skip(ending.reason);
    expect(ending).toEqual({ state: 'passed' });
  });
});

describe('a case that is met by nothing fails', { timeout: CONFORMANCE_LIMITS.caseMs }, () => {
  type Part = AttackCase['given'];
  const wrong: [what: string, group: string, given: Part, when: Part, expected: Part][] = [
    ['an unknown word', 'crash-faults', { db: 'empty' }, { start: true }, { mended: true }],
    ['an unknown damage', 'crash-faults', { db: 'eaten' }, { start: true }, { starts: true }],
    ['an unknown mode', 'crash-faults', { 'policies.json_mode': 'open' }, { start: true }, {}],
    ['an unknown tool', 'crash-faults', { op: 'x' }, { tool: 'dances' }, {}],
    ['an unknown disk', 'crash-faults', { disk: 'bent' }, { user: 'Remember' }, {}],
    ['an unknown answer', 'crash-faults', {}, { user: 'Shrug' }, {}],
    ['an unknown file', 'crash-faults', { 'rules.toml': '' }, { start: true }, {}],
    [
      'an unknown place',
      'self-protection',
      { policy_remember: 'bash true' },
      { restart: true, tool: 'bash', workspace: 'the moon' },
      {},
    ],
    ['an unknown question', 'mcp', {}, { server_asks: 'dance/now' }, {}],
    ['an unknown load', 'resource', { files: 1 }, { index: true }, { smiles: true }],
    ['what does not hold', 'self-protection', { trusted: '/p' }, { start_in: '/p' }, { trusted: false }],
  ];
  it.each(wrong)('%s', async (_what, group, given, when, then) => {
    expect(await runAttack({ id: 'own', group, given, when, then })).toMatchObject({ state: 'failed' });
  });
});
