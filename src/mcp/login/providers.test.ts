import { expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { checkIssuer } from './providers.ts';

it('sends a secret only to the authorization server that the person named', () => {
  verifies('B10');
  const at =
    (asked: string, issuer: string, oauth = { issuer: 'https://good.test' }) =>
    () =>
      checkIssuer({ authorizationServerUrl: asked, authorizationServerMetadata: { issuer } as never }, oauth);
  expect(at('https://good.test/', 'https://good.test')).not.toThrow();
  // Whoever is asked can claim to be anybody.
  expect(at('https://evil.test/', 'https://good.test')).toThrow('as the settings say');
  expect(at('https://good.test/', 'https://evil.test')).toThrow('as the settings say');
});
