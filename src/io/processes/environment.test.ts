import { expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { childEnvironment, isSecretVariable } from './environment.ts';

it('knows a secret by its name or by its value', () => {
  verifies('L1', 'S25');
  const secret = [
    'OPENAI_API_KEY',
    'openai_api_key',
    'GITHUB_TOKEN',
    'NPM_TOKEN',
    'CLIENT_SECRET',
    'SECRET_KEY_BASE',
    'DB_PASSWORD',
    'MYSQL_PWD',
    'PGPASSWORD',
    'AWS_PROFILE',
    'GH_PAT',
    'GOOGLE_APPLICATION_CREDENTIALS',
    'TOKEN',
    'SSH_KEY_PATH',
    'HTTP_AUTH',
  ];
  for (const name of secret) expect([name, isSecretVariable(name, 'x')]).toEqual([name, true]);
  const plain = [
    'PATH',
    'HOME',
    'PWD',
    'OLDPWD',
    'KEYBOARD',
    'TOKENIZERS_PARALLELISM',
    'MAX_OUTPUT_TOKENS',
    'SSH_AUTH_SOCK',
    'AUTHOR',
    'MONKEY',
    'PATTERN',
    'LANG',
  ];
  for (const name of plain) expect([name, isSecretVariable(name, 'x')]).toEqual([name, false]);
  for (const value of ['https://me:pass@proxy:8080', 'sk-abcdefghijklmnopqrst', '-----BEGIN RSA PRIVATE KEY-----']) {
    expect([value, isSecretVariable('PLAIN', value)]).toEqual([value, true]);
  }
  expect(isSecretVariable('HTTP_PROXY', 'http://proxy:8080')).toBe(false);
});

it('lets a request set what it needs, over everything else', () => {
  verifies('L1');
  expect(
    childEnvironment({ PATH: '/bin', MY_TOKEN: 'x', GONE: undefined }, { MY_TOKEN: 'own', PAGER: 'less' }),
  ).toEqual({
    PATH: '/bin',
    MY_TOKEN: 'own',
    PAGER: 'less',
    GIT_PAGER: 'cat',
    GIT_TERMINAL_PROMPT: '0',
    TERM: 'dumb',
  });
});
