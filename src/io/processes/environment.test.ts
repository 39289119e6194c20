import { expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { isSecretVariable } from '../../core/policy/secret-values.ts';
import { childEnvironment, secretNames } from './environment.ts';

const names = (text: string): string[] => text.trim().split(/\s+/);

it('knows a secret by its name, however it is spelled', () => {
  verifies('L1', 'S25');
  const secret = names(`
    OPENAI_API_KEY openai_api_key GITHUB_TOKEN NPM_TOKEN CLIENT_SECRET SECRET_KEY_BASE DB_PASSWORD MYSQL_PWD PGPASSWORD AWS_PROFILE
    GH_PAT GOOGLE_APPLICATION_CREDENTIALS TOKEN SSH_KEY_PATH HTTP_AUTH DB_PASS PASS_DB SMTP_PASS PW FTP_PW DOCKER_AUTH_CONFIG
    NPM_CONFIG__AUTH npm_config_//registry.npmjs.org/:_authToken authToken TOKEN_GITHUB KEY_PROD CI_JOB_JWT OAUTH2_CLIENT GITHUBTOKEN
    MYSECRETTHING JWT_SIGNING_KEYS STRIPE_ID SESSION_COOKIE TOTP_SEED CARD_PIN SLACK_WEBHOOK_URL DATABASE_URL PROD_DATABASE_URL REDIS_URL
    MONGODB_URI DB_PRIMARY_URL CELERY_BROKER_URL AZURE_STORAGE_CONNECTION_STRING SqlConnectionString SENTRY_DSN KUBECONFIG PGPASSFILE NETRC
    ANSIBLE_VAULT_PASS WALLET_MNEMONIC APIKEY MyApiKey api-key CREDS APP_CREDS PASSWORT
  `);
  for (const name of secret) expect([name, isSecretVariable(name, 'x')]).toEqual([name, true]);
  const plain = names(`
    PATH HOME PWD OLDPWD KEYBOARD TOKENIZERS_PARALLELISM MAX_OUTPUT_TOKENS SSH_AUTH_SOCK AUTHOR MONKEY PATTERN LANG GIT_AUTHOR_NAME
    KEYTIMEOUT COMPASS BYPASS SPINNER SSH_ASKPASS GIT_ASKPASS COMPATIBILITY XDG_SESSION_ID DESKTOP_SESSION URL SITE_URL BASE_URL
    NODE_OPTIONS EDITOR PINK
  `);
  for (const name of plain) expect([name, isSecretVariable(name, 'x')]).toEqual([name, false]);
  expect(isSecretVariable('NO_AUTH', '1')).toBe(false);
  expect(isSecretVariable('CARD_PIN', '1234')).toBe(true);
  expect(isSecretVariable('DB_PASSWORD', '1234')).toBe(true);
});

it('knows a secret by its value, under any name', () => {
  verifies('L1', 'S25');
  const secret = [
    'https://me:pass@proxy:8080',
    'sk-abcdefghijklmnopqrst',
    '-----BEGIN RSA PRIVATE KEY-----',
    'Authorization: Bearer abcdefghijklmnop',
    'https://host/x?access_token=abcdefgh',
    'https://blob.example/x?sv=1&sig=abcdefgh',
    'Server=db;User=sa;Password=hunter2;',
    '{"type":"service_account","private_key": "x"}',
    'https://hooks.slack.com/services/T0/B0/x',
    '--header=glpat-abcdefghijklmnopqrst',
    '0123456789abcdef0123456789abcdef',
    'q7Rk2Zx9LmP4vT8bN1sW5yHc3JdF6gKa',
    'dGhpcyBpcyBhIHZlcnkgbG9uZyBzZWNyZXQ5OA==',
  ];
  for (const value of secret) expect([value, isSecretVariable('PLAIN', value)]).toEqual([value, true]);
  const plain: Record<string, string> = {
    HTTP_PROXY: 'http://proxy:8080',
    GITHUB_SHA: '0123456789abcdef0123456789abcdef01234567',
    INVOCATION_ID: '0123456789abcdef0123456789abcdef',
    NODE_OPTIONS: '--max-old-space-size=4096 --enable-source-maps',
    LS_COLORS: 'rs=0:di=01;34:ln=01;36:mh=00:pi=40;33',
    MANPATH: '/usr/local/Share2/Man/ABCdefGHIjklMNOpqrSTU',
    MESSAGE: 'A sentence of several words, with 1 number and Capital letters in it.',
    COMPUTER: 'a-rather-long-but-ordered-name-of-a-host',
  };
  for (const [name, value] of Object.entries(plain))
    expect([name, isSecretVariable(name, value)]).toEqual([name, false]);
});

it('knows copies of a secret, and the variables that the person names', () => {
  verifies('L1', 'S25');
  const environment = {
    PATH: '/opt/postgres-secret-word/bin:/bin',
    DB_PASSWORD: 'postgres-secret-word',
    CURL_OPTIONS: '-u me:postgres-secret-word',
    SAME: 'postgres-secret-word',
    SHORT_TOKEN: 'abc',
    WORD: 'abc',
    MINE: 'chosen by the person',
    MINE_TOO: 'chosen by the person',
  };
  expect([...secretNames(environment, ['MINE'])].sort()).toEqual(
    ['CURL_OPTIONS', 'DB_PASSWORD', 'MINE', 'MINE_TOO', 'SAME', 'SHORT_TOKEN'].sort(),
  );
});

it("keeps git's settings together, or drops all of them", () => {
  verifies('L1');
  const settings = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: '*' };
  expect([...secretNames(settings)]).toEqual([]);
  const held = {
    ...settings,
    GIT_CONFIG_KEY_0: 'http.extraheader',
    GIT_CONFIG_VALUE_0: 'AUTHORIZATION: basic eHg6eXk=',
  };
  expect([...secretNames(held)].sort()).toEqual(Object.keys(held).sort());
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

it('keeps variables away that load code before a program begins, and leaves those that only tune it', () => {
  verifies('S25');
  const loads = {
    NODE_OPTIONS: '--require ./evil.js',
    LD_PRELOAD: './evil.so',
    LD_AUDIT: './evil.so',
    DYLD_INSERT_LIBRARIES: './evil.dylib',
    BASH_ENV: './evil.sh',
    'BASH_FUNC_ls%%': '() { ./evil.sh; }',
    PYTHONSTARTUP: './evil.py',
    PERL5OPT: '-Mevil',
    RUBYOPT: '-r./evil',
    RIPGREP_CONFIG_PATH: '.ripgreprc',
    GIT_EXTERNAL_DIFF: './evil.sh',
    GIT_SSH_COMMAND: './evil.sh',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'core.pager',
    GIT_CONFIG_VALUE_0: './evil.sh',
    GIT_DIR: './evil',
    JAVA_TOOL_OPTIONS: '-javaagent:evil.jar',
  };
  const left = childEnvironment(loads);
  expect(Object.keys(left).filter((name) => name in loads)).toEqual([]);
  const tunes = {
    NODE_OPTIONS: '--max-old-space-size=8192 --no-warnings',
    JAVA_TOOL_OPTIONS: '-Xmx2g',
    ENV: 'production',
    GIT_AUTHOR_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'ada@example.com',
    NODE_ENV: 'test',
  };
  expect(childEnvironment(tunes)).toMatchObject(tunes);
  for (const option of [
    '--require=./evil.js',
    '-r ./evil.js',
    '--import ./evil.mjs',
    '--import=./e.mjs',
    '--inspect',
    '--env-file=.env',
  ])
    expect(childEnvironment({ NODE_OPTIONS: `${option} --no-warnings` })['NODE_OPTIONS']).toBe('--no-warnings');
});

/** A variable of AWS beside them holds the same path, and all that is secret by its name hid whatever was equal to it. */
it.each([
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
  'GIT_SSL_CAINFO',
  'GIT_SSL_CAPATH',
  'PIP_CERT',
  'AWS_CA_BUNDLE',
  'CARGO_HTTP_CAINFO',
  'npm_config_cafile',
])('passes on where the certificates are that programs trust: %s', (name) => {
  verifies('L1');
  const file = '/etc/company/ca-certificates.crt';
  expect(childEnvironment({ [name]: file, AWS_CA_BUNDLE: file })).toMatchObject({ [name]: file, AWS_CA_BUNDLE: file });
  // What is no path is nothing that a program could read them from.
  const key = 'sk-abcdefghijklmnopqrst';
  expect(childEnvironment({ [name]: key, AWS_CA_BUNDLE: key })).not.toMatchObject({ [name]: key });
});
