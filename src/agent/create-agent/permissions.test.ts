/** Several halters share what is remembered for a folder. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { scratchFolder } from '../../../tests/support/scratch.ts';
import type { PolicyStore } from '../../core/storage-port.ts';
import { createMemoryStorage } from '../../storage/memory-storage.ts';
import { createPoliciesFile } from '../../storage/policies-file.ts';
import { openPermissions } from './permissions.ts';

const open = async (store: PolicyStore) => {
  const warnings: string[] = [];
  const permissions = await openPermissions({
    store,
    root: '/w',
    given: { allow: [], deny: [] },
    mode: 'ask',
    onRemembered: async () => {},
    onWarning: (code) => warnings.push(code),
  });
  const names = (what: 'allow' | 'deny') => permissions.rules()[what].map(({ tool }) => tool);
  return { ...permissions, names, warnings };
};

const stores: Record<string, () => () => PolicyStore> = {
  'a file': () => {
    const folder = scratchFolder();
    return () => createPoliciesFile({ folder });
  },
  memory: () => {
    const { policies } = createMemoryStorage();
    return () => policies;
  },
};

describe.each(Object.entries(stores))('rules that two halters have in %s', (_name, place) => {
  it('hold in the other no more when one has forgotten them', async () => {
    verifies('Z8', 'Z10');
    const next = place();
    const first = await open(next());
    await first.remember({ tool: 'write_file' });
    await first.remember({ tool: 'bash', pattern: 'echo *' });
    const second = await open(next());
    expect(second.names('allow')).toEqual(['write_file', 'bash']);
    await first.remembered.forget({ tool: 'write_file' });
    await second.refresh();
    expect(second.names('allow')).toEqual(['bash']);
    // A yes of its own session to the same rule counts no more either.
    expect(second.rules().revoked).toMatchObject([{ tool: 'write_file' }]);
  });

  it('forbid in the other at once, and allow from its next start on', async () => {
    verifies('Z8', 'Z10');
    const next = place();
    const [first, second] = [await open(next()), await open(next())];
    await first.remembered.keep({ tool: 'bash' }, 'deny');
    await first.remember({ tool: 'write_file' });
    await second.refresh();
    expect(second.names('deny')).toEqual(['bash']);
    expect(second.names('allow')).toEqual([]);
    expect((await open(next())).names('allow')).toEqual(['write_file']);
  });
});

describe('remembered rules', () => {
  it('allow nothing while they cannot be read, go on forbidding, and are said to be damaged once', async () => {
    verifies('Z8', 'Z10');
    const folder = scratchFolder();
    const rules = await open(createPoliciesFile({ folder }));
    await rules.remember({ tool: 'write_file' });
    await rules.remembered.keep({ tool: 'bash' }, 'deny');
    await rules.refresh();
    expect([rules.names('allow'), rules.names('deny')]).toEqual([['write_file'], ['bash']]);
    writeFileSync(join(folder, 'policies.json'), '{ half');
    await rules.refresh();
    expect([rules.names('allow'), rules.names('deny')]).toEqual([[], ['bash']]);
    expect(rules.warnings).toEqual(['policies']);
  });

  it('hold on where they could not be written', async () => {
    verifies('Z8', 'Z10');
    const { policies } = createMemoryStorage();
    const full: PolicyStore = {
      ...policies,
      add: async () => ({ ok: false, error: { error_type: 'io_error', message: 'full' } }) as never,
    };
    const rules = await open(full);
    await rules.remember({ tool: 'write_file' });
    await rules.refresh();
    expect(rules.names('allow')).toEqual(['write_file']);
  });

  it('are gone with their file', async () => {
    verifies('Z8', 'Z10');
    const folder = scratchFolder();
    const rules = await open(createPoliciesFile({ folder }));
    await rules.remember({ tool: 'write_file' });
    rmSync(join(folder, 'policies.json'));
    await rules.refresh();
    expect(rules.names('allow')).toEqual([]);
  });
});
