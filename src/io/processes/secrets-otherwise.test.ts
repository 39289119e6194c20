/** Secrets of the environment that go by another name, stand in another form, or within a longer value. */
import { expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { isSecretVariable } from '../../core/policy/secret-values.ts';
import { secretNames } from './environment.ts';

const KEY = 'Zk3p9QxT7mR2vB8nL5wJ1cY6hF4gD0sA';
const PEM = Buffer.from(`-----BEGIN RSA PRIVATE KEY-----\n${KEY.repeat(8)}\n`).toString('base64');
const ACCOUNT = Buffer.from(`{\n  "type": "service_account",\n  "private_key": "${KEY.repeat(4)}"\n}`).toString(
  'base64',
);

it.each([
  ['BW_SESSION', `${KEY}${KEY}==`],
  ['OP_SESSION_my', `${KEY}${KEY}`],
  ['PHPSESSID', KEY],
  ['DBPASS', 'hunter2'],
  ['ROOTPW', 'hunter2'],
  ['MAILPWD', 'hunter2'],
  ['SSHKEY', 'x'],
  ['MASTERKEY', 'x'],
  ['ENCRYPTIONKEY', 'x'],
  ['SEED_PHRASE', 'witch collapse practice feed shame open despair'],
  ['WALLET_SEED', 'witch collapse practice'],
  ['PASSKEY', 'x'],
  ['MOT_DE_PASSE', 'x'],
  ['DB_KENNWORT', 'x'],
  ['CONTRASENA', 'x'],
  ['SENHA_DO_BANCO', 'x'],
  ['WACHTWOORD', 'x'],
  ['HASLO', 'x'],
  ['SEED', 'witch collapse practice feed shame open despair'],
  ['TOTP_SEED', 'JBSWY3DPEHPK3PXP'],
  ['MASTER_SEED', 'x'],
  ['SEED', 'witch, collapse, practice, feed, shame, open'],
  ['SEED', `0x${'0123456789abcdef'.repeat(4)}`],
  ['RECOVERY_PHRASE', 'witch collapse practice'],
  ['PHRASE', 'witch collapse practice feed shame open'],
  ['WALLET_SEED_FILE', '/home/me/seed'],
  ['WALLETSEED', 'x'],
  ['PUBLIC_KEY_PASSWORD', 'x'],
  ['SORTKEY_TOKEN', 'x'],
  ['DBPWD', '/hunter2'],
  ['ROOTPWD', 'hunter2'],
  ['STARTPWD', 'hunter2'],
  ['PRIMARYKEY', 'Zk3p9QxT7mR2vB8nL5wJ1cY6hF4gD0sA'],
  ['AZURE_PRIMARYKEY', 'x'],
])('by its name: %s', (name, value) => {
  verifies('S25');
  expect(isSecretVariable(name, value)).toBe(true);
});

it.each([
  ['host=db user=me password=hunter2'],
  ['[client]\npassword=hunter2\n'],
  ['user: me\npassword: hunter2'],
  ['{"auths":{"r.test":{"auth":"bWU6aHVudGVyMg=="}}}'],
  ['{"spring":{"apiKey":"hunter2"}}'],
  ['{"identitytoken": "hunter2"}'],
  ['-Djavax.net.ssl.keyStorePassword=hunter2'],
  ['-Xmx2g -Dspring.datasource.password=hunter2'],
  ['--user me --password hunter2'],
  ['--api-key=hunter2'],
  ['-u me:hunter2'],
  ['--user root:hunter2'],
  ['--user node:hunter2'],
  ['-Dssl.primarykey.key=hunter2'],
  [`-Dprimarykey=${KEY}`],
  ['-Dprimarykey=id -Dapi.key=hunter2'],
  ['https://me:hun/ter2@host.test/x'],
  [PEM],
  [PEM.replaceAll(/(.{64})/g, '$1\n')],
  [ACCOUNT],
  ['PuTTY-User-Key-File-3: ssh-ed25519'],
  [`GOCSPX-${KEY.slice(0, 28)}`],
  [`ATATT3x${KEY}`],
  [`dapi${'0123456789abcdef'.repeat(2)}`],
  [`key-${'0123456789abcdef'.repeat(2)}`],
  [`xkeysib-${KEY}`],
  [`PMAK-${KEY}`],
  [`tskey-auth-${KEY}`],
  [`NRAK-${KEY}`],
  [`sbp_${'0123456789abcdef'.repeat(2)}`],
  [`rubygems_${'0123456789abcdef'.repeat(3)}`],
  [`pul-${'0123456789abcdef'.repeat(2)}`],
  [`FlyV1 fm2_${KEY}`],
  [`dp.st.prd.${KEY}`],
  [`nfp_${KEY}`],
  [`glc_${KEY}`],
  [`pk.eyJ1Ijoi${KEY}`],
])('by its value: %s', (value) => {
  verifies('S25');
  expect(isSecretVariable('PLAIN', value)).toBe(true);
});

const SECRET = 'Hunter2 & more';
it.each([
  ['in base64', Buffer.from(SECRET).toString('base64')],
  ['in base64, behind a name', Buffer.from(`me:${SECRET}`).toString('base64')],
  ['in base64, in a longer value', `Authorization ${Buffer.from(`x:${SECRET}`).toString('base64')}`],
  ['in base64 of addresses', Buffer.from(`é${SECRET}`).toString('base64url')],
  ['in hex', Buffer.from(SECRET).toString('hex')],
  ['with percent signs', encodeURIComponent(SECRET)],
  ['as a form', SECRET.replaceAll(' ', '+').replace('&', '%26')],
  ['in quotes', `"${SECRET}"`],
])('a copy %s', (_form, value) => {
  verifies('S25');
  expect([...secretNames({ DB_PASSWORD: SECRET, LOGIN: value })].sort()).toEqual(['DB_PASSWORD', 'LOGIN']);
});

it.each([
  ['BYPASS', 'x'],
  ['COMPASS', 'x'],
  ['MONKEY', 'x'],
  ['HOTKEY', 'x'],
  ['WHISKEY', 'x'],
  ['SUDO_ASKPASS', '/usr/bin/ask'],
  ['DESKTOP_SESSION', 'plasma'],
  ['XDG_SESSION_TYPE', 'wayland'],
  ['SESSION_MANAGER', 'local/box:@/tmp/.ICE-unix/1,unix/box:/tmp/.ICE-unix/1'],
  ['TERM_SESSION_ID', 'w0t0p0:6E2C0C1E-1B1A-4C3C-9C9C-1B2C3D4E5F60'],
  ['PYTHONHASHSEED', '0'],
  ['TEST_SEED', '1234'],
  ['JAVA_OPTS', '-Xmx2g -Dfile.encoding=UTF-8'],
  ['NODE_OPTIONS', '--max-old-space-size=4096'],
  ['VITEST_ARGS', '--max-tokens 5 --no-auth'],
  ['LESS', '-R -u'],
  ['DOCKER_RUN', '-u 1000:1000 --rm'],
  ['REGISTRY', 'https://registry.test:4873/@scope/x'],
  ['CONFIG', '{"theme":"dark","tokens":5}'],
  ['GREETING', 'a key, a token and a password'],
  ['RANDOM_SEED', '0x1234abcd'],
  ['SEED_FILE', './db/seeds.sql'],
  ['npm_package_scripts_seed', 'node db/seed.js'],
  ['PHRASE', 'hello'],
  ['PUBKEY', 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA me@box'],
  ['SSH_PUBLICKEY', '/home/me/.ssh/id_ed25519.pub'],
  ['SORTKEY', 'name'],
  ['PARTITIONKEY', 'tenant'],
  ['PRIMARYKEY', 'id'],
  ['FOREIGNKEY', 'user_id'],
  ['LOOKUPKEY', 'mail'],
  ['CACHEKEY', 'v1'],
  ['ORIGPWD', '/srv/x'],
  ['STARTPWD', '/srv/x'],
  ['RUN_ARGS', 'docker run --user node:node x'],
  ['RUN_ARGS', '-u www-data:www-data'],
  ['JAVA_TOOL_OPTIONS', '-Dprimarykey=id'],
  ['JAVA_TOOL_OPTIONS', '-Xmx2g -Dcache.sortkey=name -Ddb.publickey=a.pub'],
])('leaves %s=%s', (name, value) => {
  verifies('S25');
  expect(isSecretVariable(name, value)).toBe(false);
});
