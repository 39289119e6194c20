/**
 * What a child process gets to see of halter's own environment. A command that a model wrote has no business with
 * the person's keys, and a program that waits for a pager or a password prompt would wait for ever.
 */

/** Whole words of a variable's name, so that TOKENIZERS_PARALLELISM and KEYBOARD stay. */
const SECRET_NAME =
  /(?:^|_)(?:API_?KEYS?|ACCESS_?KEYS?|PRIVATE_?KEY|KEY|TOKEN|SECRETS?|PASSWORD|PASSWD|PASSPHRASE|PWD|PAT|CREDENTIALS?|AUTH|COOKIE|BEARER|DSN)(?:$|_(?:ID|FILE|PATH|JSON|BASE64|B64|[0-9]+)$)/;
/** Words that are secret wherever they stand, and joined spellings such as GITHUBTOKEN or PGPASSWORD. */
const SECRET_ANYWHERE = /API_?KEY|SECRET|PASSWORD|PASSPHRASE|CREDENTIAL|PRIVATE_?KEY|ACCESS_?KEY|[A-Z]TOKEN$|_TOKEN_/;
/** The address of the database: whoever has it can read and change every session and rule. */
const DATABASE = 'HALTER_DATABASE_URL';
const SECRET_PREFIX = /^(?:AWS|AZURE|GCP|ALIBABA_CLOUD|CLOUDFLARE|DIGITALOCEAN|HEROKU|STRIPE|TWILIO|VAULT)_/;
const SECRET_VALUE =
  /-----BEGIN [A-Z ]*PRIVATE KEY|^(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}|^gh[opsur]_[A-Za-z0-9]{16,}|^github_pat_|^glpat-|^xox[abprs]-|^hf_[A-Za-z0-9]{16,}|^A(?:KIA|SIA)[A-Z0-9]{12,}|^AIza[A-Za-z0-9_-]{20,}|^eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.|^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:[^/\s@]+@/;
/** Names that look secret and are not: folders, and the sockets of agents that hold the keys themselves. */
const NOT_SECRET = new Set(['PWD', 'OLDPWD', 'SSH_AUTH_SOCK', 'XAUTHORITY']);

export const isSecretVariable = (name: string, value: string): boolean => {
  if (NOT_SECRET.has(name)) return false;
  const upper = name.toUpperCase();
  return (
    upper === DATABASE ||
    SECRET_NAME.test(upper) ||
    SECRET_ANYWHERE.test(upper) ||
    SECRET_PREFIX.test(upper) ||
    SECRET_VALUE.test(value)
  );
};

const HEADLESS: Readonly<Record<string, string>> = {
  GIT_TERMINAL_PROMPT: '0',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  TERM: 'dumb',
};

export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of a child: halter's own, without what looks like a secret, set for use with nobody there. */
export const childEnvironment = (environment: Environment, own: Environment = {}): Record<string, string> => {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && !isSecretVariable(name, value)) result[name] = value;
  }
  Object.assign(result, HEADLESS);
  for (const [name, value] of Object.entries(own)) if (value !== undefined) result[name] = value;
  return result;
};
