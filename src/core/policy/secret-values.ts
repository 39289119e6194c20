/**
 * What looks like a secret by its name or by its form: a variable of the environment, a setting in a file. Whole files are
 * known by their names (`sensitive-files.ts`).
 */
import { namesCertificates } from './certificate-variables.ts';

/** Words of a variable's name that are secret wherever they stand: PASS_DB, X_TOKEN_OLD, npm_config_//host/:_authToken. */
const SECRET_WORD =
  /^(?:API_?KEYS?|APIKEYS?|KEYS?|TOKENS?|SECRETS?|PASS|PASSWD|PASSWORDS?|PASSPHRASE|PASSCODE|PASSWORT|PWD|PW|PIN|OTP|TOTP|MFA|PAT|CREDENTIALS?|CREDS?|AUTH|AUTHORIZATION|OAUTH2?|COOKIES?|JWT|BEARER|DSN|MNEMONIC|KEYSTORE|KEYFILE|KEYRING|WEBHOOKS?|HMAC|SALT|PEM|PFX|P12|SAS|PASSKEY|KENNWORT|MDP|CLAVE|SENHA|HASLO|HESLO|PAROLE|WACHTWOORD|LOZINKA|SIFRE|NETRC|PGPASS|PGPASSFILE|KUBECONFIG|CONNSTR|PRIVKEY|SIGNING)$/;
/** Joined spellings such as GITHUBTOKEN, PGPASSWORD, DBPW or SSHKEY. */
const SECRET_ANYWHERE =
  /API_?KEY|MOT_?DE_?PASSE|CONTRASE(?:N|Ñ)A|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|PRIVATE_?KEY|ACCESS_?KEY|AUTH_?TOKEN|ACCESS_?TOKEN|CONNECTION_?STRING|[A-Z](?:TOKEN|PASSWORT|PWD?)$/;
const SECRET_END = /[A-Z](?:PASS|KEY)$/;
const NO_SECRET_END =
  /(?:BY|COM|TRES|SUR|OVER|UNDER|ASK|MULTI|BAND|LOW|HIGH|SINGLE)PASS$|(?:MON|DON|TUR|HOC|WHIS|JOC|HOT|TURN|MOD|ESC|LEADER|PUB|PUBLIC)KEY$/;
/** Joined words for what orders, finds or joins rows; a key to open something has a longer value. */
const DATA_KEY = '(?:SORT|PARTITION|PRIMARY|FOREIGN|LOOKUP|CACHE)';
const NAMES_DATA = new RegExp(`${DATA_KEY}KEY$`);
const NAME_OF_DATA = /^[\w.,:-]{0,31}$/;
/** Where a program was begun: a folder, if the value is a path. */
const FOLDER_BEFORE = /^(?:ORIG(?:INAL)?|START(?:ING)?)_?PWD$/;
const PATH = /^(?:\/|~|[A-Za-z]:[\\/])/;
/** Of a wallet these are keys. Otherwise they begin a row of chance or fill a database, unless the value looks like one. */
const SEED = /SEED|PHRASE/;
const OF_WALLET = /WALLET|MNEMONIC|RECOVERY|BACKUP|MASTER|SIGNER|VALIDATOR|CRYPTO|BIP39|SEED_?(?:PHRASE|WORDS)/;
const SEED_VALUE = /^(?:[a-z]{3,12}[\s,]{1,2}){5}|^(?:0x)?[A-Za-z0-9+/=]{20,}$/;
/** The sessions of keepers of passwords and of servers are keys. */
const SESSION_KEY = /^(?:BW_SESSION|OP_SESSION(?:_.*)?|[A-Z]*SESSI?D)$/;
/** Addresses of services, which mostly hold a password. */
const SERVICE_ADDRESS =
  /(?:^|_)(?:DATABASE|DB|POSTGRES(?:QL)?|PG|MYSQL|MARIADB|MONGO(?:DB)?|REDIS|AMQP|RABBITMQ|CLICKHOUSE|MSSQL|SENTRY|SMTP|MAIL|LDAP|KAFKA|ELASTIC(?:SEARCH)?|CELERY|BROKER|CACHE|QUEUE)_(?:[A-Z0-9]+_)*(?:URL|URI|CONN|CONNECTION)$/;
/** The address of the database: whoever has it can read and change every session and rule. */
const DATABASE = 'HALTER_DATABASE_URL';
const SECRET_PREFIX = /^(?:AWS|AZURE|GCP|ALIBABA_CLOUD|CLOUDFLARE|DIGITALOCEAN|HEROKU|STRIPE|TWILIO|VAULT)_/;
/** Numbers and yes or no are no keys, whatever they are called: MAX_OUTPUT_TOKENS=4096, NO_AUTH=1. A PIN is. */
const NO_VALUE = /^(?:|\d{1,9}|true|false|yes|no|on|off|none|auto|always|never)$/i;
const COUNTED =
  /(?:^|_)(?:MAX|MIN|NUM|COUNT|LIMIT|BUDGET|INPUT|OUTPUT|CONTEXT)_.*TOKENS?$|_TOKENS?_(?:MAX|LIMIT|COUNT)$/;

/** Forms of keys that their makers gave them, wherever they stand in a value. */
const SECRET_VALUE = new RegExp(
  [
    '-----BEGIN [A-Z ]*PRIVATE KEY',
    'AGE-SECRET-KEY-1',
    '"(?:private_key|client_secret|refresh_token|access_token|password)" ?:',
    ...[
      '(?:sk|pk|rk|tk|ak)[-_][A-Za-z0-9_-]{16,}',
      'gh[opsur]_[A-Za-z0-9]{16,}|github_pat_|gl(?:pat|dt|rt|ptt|cbt|soat|ft)-[\\w-]{10,}|glsa_[A-Za-z0-9]{10,}',
      'xox[abeprs]-|xapp-\\d|hf_[A-Za-z0-9]{16,}|A(?:KIA|SIA|GPA|IDA|ROA)[A-Z0-9]{12,}|AIza[\\w-]{20,}|ya29\\.',
      'eyJ[\\w-]{8,}\\.[\\w-]{8,}\\.|npm_[A-Za-z0-9]{30,}|pypi-[\\w-]{16,}|do[opr]_v1_|SG\\.[\\w-]{16,}|shp(?:at|ca|pa|ss)_',
      'whsec_|gsk_[A-Za-z0-9]{16,}|tvly-|lin_api_|ntn_|figd_|dckr_pat_|hv[sb]\\.[\\w-]{16,}|sntrys_|nvapi-|xai-|r8_[A-Za-z0-9]{16,}|pplx-|co-[A-Za-z0-9]{30,}',
      '(?:[Bb]earer|[Bb]asic|[Tt]oken) [A-Za-z0-9+/=._-]{12,}',
      'GOCSPX-|AT(?:ATT|CTT)3x|dapi[0-9a-f]{32}|key-[0-9a-f]{32}|xkeysib-|PMAK-|tskey-[a-z]+-|NRAK-|sb[ps]_[A-Za-z0-9]{16,}|rubygems_|pul-[0-9a-f]{20,}',
      'FlyV1 |fm\\d_|dp\\.(?:st|pt|ct|sa)\\.|nfp_[A-Za-z0-9]{16,}|glc_[A-Za-z0-9]{16,}|[ps]k\\.eyJ|ops_eyJ|bkua_|CFPAT-|rpa_[A-Za-z0-9]{16,}|sq0[a-z]{3}-|LTAI[A-Za-z0-9]{12,}|AKID[A-Za-z0-9]{12,}',
    ].map((form) => `(?:^|[\\s"'=:,;/(])(?:${form})`),
    'PuTTY-User-Key-File-',
    '(?<![a-z0-9+.-])[a-z0-9+.-]+://[^/\\s:@]*:[^/\\s@]+@',
    '[?&;](?:[a-z_]*(?:token|key|secret|password|signature)|sig|auth|pwd)=[^&\\s]{6,}',
    '(?:^|;) *(?:password|pwd|accountkey|sharedaccesskey|sharedaccesssignature) *= *[^;\\s]+',
    'hooks\\.slack\\.com/|discord(?:app)?\\.com/api/webhooks/|webhook\\.office\\.com/',
  ].join('|'),
);
const SECRET_VALUE_ANY_CASE = /(?:^|;) *(?:password|pwd|accountkey|sharedaccesskey) *= *[^;\s]+/i;
/** Keys within a longer value of a variable: of a file, of options, of an address, and files in base64. */
const SECRET_WITHIN = new RegExp(
  [
    '"(?:[A-Za-z_-]*(?:password|passwd|secret|token|api_?key)|auth|pass)" ?: ?"[^"]',
    '(?:^|[\\s;{,])(?:[\\w.-]{0,40}[._-])?(?:password|passwd|passphrase|secret|api[_-]?key)[ \\t]*[=:][ \\t]*[^\\s;,]',
    `(?:^|\\s)-D[\\w.-]{0,80}(?:password|secret|token|(?<!${DATA_KEY}|PUB|PUBLIC)key)=[^\\s]`,
    `(?:^|\\s)-D[\\w.-]{0,80}${DATA_KEY}key=[^\\s]{32}`,
    '(?:^|\\s)--?(?:[\\w-]{0,40}-)?(?:password|passwd|passphrase|token|secret|api-?key)[= ][^\\s-]',
    '(?:^|\\s)(?:-u|--user|--proxy-user)[= ]?(?!\\d+:\\d+(?:\\s|$)|(?<who>[a-z_][a-z0-9_-]{0,31}):\\k<who>(?:\\s|$))[^\\s:/-][^\\s:/]{0,80}:[^\\s/]',
    '(?<![a-z0-9+.-])[a-z0-9+.-]+://[^/\\s:@]*:(?!\\d{1,5}/)[^\\s@]{1,200}@',
  ].join('|'),
  'i',
);
/** PEM, or an account as JSON, in base64. */
const FILE_IN_BASE64 = /^(?:LS0tLS1CRUdJTi|ew[0o]K|ey[IJA])[A-Za-z0-9+/=_\s-]{60,}$/;

/** Names whose values look like keys and are public: what was built, and which one it is. */
const PUBLIC_NAME =
  /(?:^|_)(?:SHA\d*|COMMIT|HASH|DIGEST|CHECKSUM|INTEGRITY|REV|REVISION|REF|TREE|BUILD|VERSION|ID|UUID|GUID|FINGERPRINT|COLORS?|MARK)(?:$|_)|^SESSION_MANAGER$/;
/** Names that look secret and are not: folders, and the sockets of agents that hold the keys themselves. */
export const NEVER_SECRET: ReadonlySet<string> = new Set([
  ...['PWD', 'OLDPWD', 'SSH_AUTH_SOCK', 'XAUTHORITY', 'KEYTIMEOUT', 'ICEAUTHORITY', 'DBUS_SESSION_BUS_ADDRESS'],
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'TERM', 'TMPDIR'],
]);

/** A long word without order, as programs make keys. */
const looksRandom = (value: string): boolean => {
  if (/^[0-9a-f]{32,}$/i.test(value)) return true;
  if (!/^[A-Za-z0-9+/_=-]{24,}$/.test(value) || value.startsWith('/') || (value.match(/\//g)?.length ?? 0) > 2)
    return false;
  if (!/\d/.test(value) || !/[a-z]/.test(value) || !/[A-Z]/.test(value)) return false;
  const counts = new Map<string, number>();
  for (const letter of value) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits >= RANDOM_BITS;
};
/** For each character; words of a language have some three. */
const RANDOM_BITS = 3.8;

/** `authToken`, `//host/:_auth-token` → AUTH_TOKEN */
const wordsOf = (name: string): string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .split(/[^A-Z0-9]+/);

const endsAsSecret = (word: string, value: string): boolean =>
  SECRET_END.test(word) && !NO_SECRET_END.test(word) && !(NAMES_DATA.test(word) && NAME_OF_DATA.test(value));

const isSecretName = (name: string, value: string): boolean => {
  const upper = name.toUpperCase();
  if (upper === DATABASE || SECRET_PREFIX.test(upper)) return true;
  const words = wordsOf(name);
  if (words.includes('PIN') || words.includes('OTP')) return true;
  if (NO_VALUE.test(value) && !SECRET_ANYWHERE.test(upper) && value !== '') return false;
  if (COUNTED.test(upper)) return false;
  if (FOLDER_BEFORE.test(upper) && PATH.test(value)) return false;
  if (SEED.test(upper) && (OF_WALLET.test(upper) || SEED_VALUE.test(value))) return true;
  if (SESSION_KEY.test(upper) || words.some((word) => endsAsSecret(word, value))) return true;
  return words.some((word) => SECRET_WORD.test(word)) || SECRET_ANYWHERE.test(upper) || SERVICE_ADDRESS.test(upper);
};

/** A setting of a file, by the last part of its name. What is no more than long and without order counts as none. */
export const isSecretSetting = (name: string, value: string): boolean =>
  isSecretName(name, value) || isSecretText(value);

/** True where a text holds a key in one of the forms that their makers gave them. */
export const isSecretText = (text: string): boolean => SECRET_VALUE.test(text) || SECRET_VALUE_ANY_CASE.test(text);

export const isSecretVariable = (name: string, value: string): boolean => {
  if (NEVER_SECRET.has(name) || namesCertificates(name, value)) return false;
  if (isSecretSetting(name, value) || SECRET_WITHIN.test(value) || FILE_IN_BASE64.test(value)) return true;
  return !PUBLIC_NAME.test(wordsOf(name).join('_')) && looksRandom(value);
};
