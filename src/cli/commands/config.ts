/** `halter config get | set | path`. */

import { quotedName } from '../../core/quoted-name.ts';
import { didYouMean } from '../../core/tool/nearest-names.ts';
import {
  CONFIG_KEYS,
  type Config,
  type ConfigKey,
  createConfigFile,
  isConfigKey,
  parseConfigValue,
  unknownRole,
} from '../../storage/config-file.ts';
import type { CommandCode } from '../command-code.ts';
import { EXIT } from '../exit-codes.ts';
import { type Io, UsageError } from '../io.ts';
import { readProjectSettings } from '../project-settings.ts';
import { pathsOf, reportFailure } from '../settings.ts';

const keyOf = (word: string): ConfigKey => {
  const key = word.replaceAll('-', '_');
  if (isConfigKey(key)) return key;
  const role = unknownRole(key);
  if (role !== undefined) throw new UsageError(`${role}.`, 'config set');
  const known = Object.keys(CONFIG_KEYS);
  throw new UsageError(
    `There is no setting ${quotedName(word)}.${didYouMean(key, known)} There are: ${known.join(', ')}.`,
  );
};

const fileOf = (io: Io) => createConfigFile(pathsOf(io).config);

const SET = '`halter config set KEY VALUE` keeps one';

/** What the folder of the command sets over the person's own, as one sentence; none where it sets nothing. */
const fromProject = (project: Config, keys: readonly ConfigKey[]): string | undefined => {
  const set = keys.flatMap((key) => (project[key] === undefined ? [] : [`${key} ${JSON.stringify(project[key])}`]));
  return set.length === 0 ? undefined : `.halter/config.json of this folder comes first: ${set.join(', ')}`;
};

/** The settings are data on the first stream; where they come from is said on the other, to a person alone. */
export const configGetCommand: CommandCode = {
  async execute({ words, io }) {
    const key = words[0] === undefined ? undefined : keyOf(words[0]);
    const file = fileOf(io);
    const read = await file.read();
    if (!read.ok) return reportFailure(read.error, io);
    const say = (text: string): void => io.stderr.write(`halter: ${text}\n`);
    for (const warning of read.value.warnings) say(warning);
    const { config } = read.value;
    const project = await readProjectSettings(io.cwd, io);
    const first = fromProject(project, key === undefined ? (Object.keys(CONFIG_KEYS) as ConfigKey[]) : [key]);
    if (key === undefined) {
      io.stdout.write(`${JSON.stringify(config, null, 2)}\n`);
      const isEmpty = Object.keys(config).length === 0;
      if (isEmpty) say(`no setting is kept in ${file.path}; ${SET}`);
      else if (io.stdout.isTTY) say(`from ${file.path}; ${SET}`);
      if (isEmpty) say(`there are: ${Object.keys(CONFIG_KEYS).join(', ')}`);
      if (first !== undefined) say(first);
      return EXIT.answered;
    }
    if (first !== undefined) say(first);
    const value = config[key];
    if (value === undefined) {
      say(`${key} is not set in ${file.path}; \`halter config set ${key} VALUE\` sets it`);
      return EXIT.error;
    }
    io.stdout.write(`${value}\n`);
    return EXIT.answered;
  },
};

export const configSetCommand: CommandCode = {
  async execute({ words, io }) {
    const [word = '', text = ''] = words;
    const key = keyOf(word);
    const value = text === '' ? undefined : parseConfigValue(key, text);
    if (value && !value.ok) throw new UsageError(`${value.error.message}.`, 'config set');
    const kept = await fileOf(io).set(key, value?.value);
    return kept.ok ? EXIT.answered : reportFailure(kept.error, io);
  },
};

export const configPathCommand: CommandCode = {
  async execute({ io }) {
    io.stdout.write(`${fileOf(io).path}\n`);
    return EXIT.answered;
  },
};
