/** `halter config get | set | path`. */

import { didYouMean } from '../../core/tool/nearest-names.ts';
import {
  CONFIG_KEYS,
  type ConfigKey,
  createConfigFile,
  isConfigKey,
  parseConfigValue,
} from '../../storage/config-file.ts';
import type { CommandCode } from '../command-code.ts';
import { EXIT } from '../exit-codes.ts';
import { type Io, UsageError } from '../io.ts';
import { pathsOf, reportFailure } from '../settings.ts';

const keyOf = (word: string): ConfigKey => {
  const key = word.replaceAll('-', '_');
  if (isConfigKey(key)) return key;
  const known = Object.keys(CONFIG_KEYS);
  throw new UsageError(
    `There is no setting ${JSON.stringify(word)}.${didYouMean(key, known)} There are: ${known.join(', ')}.`,
  );
};

const fileOf = (io: Io) => createConfigFile(pathsOf(io).config);

export const configGetCommand: CommandCode = {
  async execute({ words, io }) {
    const key = words[0] === undefined ? undefined : keyOf(words[0]);
    const read = await fileOf(io).read();
    if (!read.ok) return reportFailure(read.error, io);
    for (const warning of read.value.warnings) io.stderr.write(`halter: ${warning}\n`);
    const { config } = read.value;
    if (key === undefined) {
      io.stdout.write(`${JSON.stringify(config, null, 2)}\n`);
      return EXIT.answered;
    }
    const value = config[key];
    if (value === undefined) {
      io.stderr.write(`halter: ${key} is not set\n`);
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
