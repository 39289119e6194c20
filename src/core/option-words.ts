/** Texts of the parts that the program and the library share name flags. A program sets the same by options. */

/** What stands for a flag, or for a phrase with one in it; the longer ones first. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/with --allow '(?:[^']|'\\'')*', in a program with permissions/g, 'with permissions'],
  [/: `halter sessions export [^`]*`/g, ' with `messages` of another harness'],
  [/--api-key-env NAME/g, 'apiKey, or apiKeyEnv with the name of a variable'],
  [/--base-url/g, 'baseUrl'],
  [/--context-length(?: N)?/g, 'contextLength'],
  [/ \(or `halter config set compaction notes`\)/g, ''],
  [/--compaction off/g, "model: { compaction: 'off' }"],
  [/\/compact \(halter run -c --compact\)/g, 'leaving older messages out of `messages`'],
  [/ \(--database, HALTER_DATABASE_URL or the setting database\)/g, ' (storage.url)'],
  [/\(`-c --fork`\)/g, '(fork: true)'],
  [/\(`--session`; `halter sessions list`\)/g, '(session)'],
  [/\(--fork\)/g, '(fork: true)'],
  [/--allow-private ([^\s)]+)/g, "allowPrivate: ['$1']"],
  [/--allow-host ([^\s)]+)/g, "permissions: { allowHosts: ['$1'] }"],
  [/--tool-strategy (\w+)/g, "model: { toolStrategy: '$1' }"],
  [/leave --lora out/g, 'leave lora out'],
  [/\(--lora\)/g, '(lora)'],
  [/--no-sandbox/g, 'sandbox: false'],
  [/--provider ollama/g, "provider: 'ollama'"],
  [/--(model|tools|provider|offline)\b/g, '$1'],
  [/, or end it: `halter run --session \S+`/g, ' with `session`'],
  [/shorten this one with `\/compact`/g, 'leave older messages out of `messages`'],
  [
    /name others with XDG_CONFIG_HOME, XDG_DATA_HOME and XDG_CACHE_HOME/g,
    "name others with storage: { kind: 'files', folders }",
  ],
  // What only the program does is run as a program's project runs it.
  [/`halter (?=[a-z])/g, '`npx halter '],
];
export const inOptions = (text: string): string =>
  PHRASES.reduce((said, [flag, option]) => said.replaceAll(flag, option), text);
