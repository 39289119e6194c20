import { expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { RETRIEVAL_SETTING, withoutIndex } from './retrieval-settings.ts';

it('says of an index that is switched off no more than it knows: it may be there', () => {
  verifies('Z20');
  expect(withoutIndex({ [RETRIEVAL_SETTING]: true } as never)).toBeUndefined();
  for (const config of [{}, { [RETRIEVAL_SETTING]: false }]) {
    const told = withoutIndex(config as never);
    expect(told).toMatch(/there is none, or graph RAG is off/);
    expect(told).toMatch(/`halter index`.*graphRag: 'on'.*graph_rag on/);
  }
});
