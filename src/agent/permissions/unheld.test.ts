/** Commands where no layer can be made: what they write counts at once, so that they are asked about each time. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { scratchFolder } from '../../../tests/support/scratch.ts';
import type { Mode } from '../../core/policy/modes.ts';
import { type PolicyRules, parseRule, type SourcedRule } from '../../core/policy.ts';
import { createWorkspace } from '../../io/workspace.ts';
import { openConfinement, type SandboxReport } from '../../sandbox/confine.ts';
import { bashTool } from '../../tools/bash.ts';
import { createToolRegistry } from '../loop/run-tool/tool-registry.ts';
import { openCommandRules } from './authorize/command-decider.ts';
import { authorize } from './authorize.ts';

const WHY = 'no layer can be made over /w, so what a command writes there counts at once';

const verdict = async (unheld: string | undefined, mode: Mode, source: SourcedRule['source'] | undefined) => {
  const root = scratchFolder();
  const workspace = await createWorkspace({ root });
  const rule = parseRule('bash(ls *)');
  if (!workspace.ok || !rule.ok) throw new Error('the test is broken');
  const allow = source === undefined ? [] : [{ ...rule.value, source }];
  const rules: PolicyRules = { allow, deny: [], mode };
  const confinement: SandboxReport = {
    kind: 'bubblewrap',
    confined: true,
    network: false,
    text: 'bubblewrap',
    reason: 'it works',
    unheld: async () => unheld,
  };
  const ports = {
    registry: createToolRegistry([bashTool], {}),
    rules: () => rules,
    commandRules: openCommandRules({ root }),
    workspace: workspace.value,
    confinement,
  };
  const answer = await authorize(ports, { name: 'bash', arguments: { command: 'ls -la' } }, { mode: 'model' });
  if (answer.kind !== 'evaluated') throw new Error(answer.message);
  return answer;
};

describe('a command whose changes are not judged', () => {
  it.each<[mode: Mode, source: SourcedRule['source'] | undefined, judged: string, unjudged: string]>([
    ['ask', undefined, 'ask', 'ask'],
    ['ask', 'remembered', 'allow', 'ask'],
    ['ask', 'command line', 'allow', 'allow'],
    ['auto', undefined, 'allow', 'ask'],
    ['yolo', undefined, 'allow', 'allow'],
  ])('in the mode %s with a rule from %s: %s where they are, else %s', async (mode, source, judged, unjudged) => {
    verifies('S45');
    expect((await verdict(undefined, mode, source)).verdict).toBe(judged);
    const answer = await verdict(WHY, mode, source);
    expect(answer.verdict).toBe(unjudged);
    if (source === 'remembered') expect(answer.because).toContain(WHY);
  });

  it('is one in a folder that holds other file systems', async (context) => {
    verifies('S45');
    const home = scratchFolder();
    const paths = { config: `${home}/c`, data: `${home}/d`, cache: `${home}/e` };
    const unheldIn = async (root: string) => {
      const confinement = await openConfinement({
        root,
        addDirs: [],
        paths,
        environment: { HOME: home },
        network: false,
      });
      const why = await confinement.report.unheld?.();
      confinement.close();
      return [confinement.report.kind, why];
    };
    const [kind, why] = await unheldIn('/dev');
    if (kind !== 'bubblewrap') return context.skip('bubblewrap does not work here');
    expect(why).toContain('no layer can be made over /dev');
    expect(await unheldIn(scratchFolder())).toEqual([kind, undefined]);
  });
});
