/**
 * Texts that all surfaces share name flags, keys and commands of the command line. On the page stands what the page has;
 * a flag stands there as one of `halter serve`, which the page was started by.
 */

/** What stands for a phrase of the command line; the longer ones first. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/Shift\+Tab, \/mode ask or --mode ask changes the mode/g, 'the mode below the field changes that, or /mode ask'],
  [
    /Allow it with --allow '(?:[^']|'\\'')*', in a program with permissions: \{.*\}\./g,
    'A rule lets it pass: Rules, in the settings.',
  ],
  [/, or take its words along: `halter sessions export [^`]*`/g, ', or here with a copy: Fork, in its menu'],
  [
    /, go on with a copy of it \(`-c --fork`\), or name another one \(`--session`; `halter sessions list`\)/g,
    ', or go on with a copy of it: Fork, in its menu',
  ],
  [/ \(--fork\)/g, ': Fork, in its menu'],
  [/, or end it: `halter run --session \S+`/g, ''],
  [/`halter sessions list --all` shows what there is/g, 'The list at the left shows what there is'],
  [/ \(halter run -c --compact\)/g, ''],
  [/ \(or `halter config set compaction notes`\)/g, ''],
  [/with Ollama by --context-length here/g, 'with Ollama by Context window in the settings'],
  [/--context-length N tells/g, 'Context window in the settings tells'],
  [/`--context-length` sets/g, 'Context window in the settings sets'],
  [/--api-key-env NAME/g, 'Keys, in the settings'],
  [/Offer fewer tools \(--tools\)/g, 'Offer fewer tools (Tools, in the settings)'],
  [/ame one with --model/g, 'ame one in the list of models'],
  [/Leave out --offline/g, 'Start `halter serve` without `--offline`'],
  [/halter is offline \(--offline\)/g, 'halter was started with `--offline`'],
  [/Start it without --base-url and --provider/g, 'Start it without an address and a provider'],
  [/without --compaction off/g, 'in a `halter serve` without `--compaction off`'],
];

const FLAGS = [
  'add-dir',
  'allow-host',
  'allow-network',
  'allow-private',
  'base-url',
  'database',
  'lora',
  'no-sandbox',
  'provider',
  'tool-strategy',
].join('|');
const WITH_VALUE = '(?:add-dir|allow-host|allow-private|provider|tool-strategy) [^\\s,;)`]*[^\\s,;)`.:]';
const IN_CODE = new RegExp(`\`(--(?:${FLAGS})\\b[^\`]*)\``, 'g');
const BARE = new RegExp(`(?<=[ (])(?<!serve )--(?:${WITH_VALUE}|${FLAGS})(?![\\w-])`, 'g');

export const inPage = (text: string): string =>
  PHRASES.reduce((said, [phrase, words]) => said.replaceAll(phrase, words), text)
    .replaceAll(IN_CODE, '`halter serve $1`')
    .replaceAll(BARE, '`halter serve $&`');
