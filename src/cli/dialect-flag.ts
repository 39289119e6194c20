import { quotedName } from '../core/quoted-name.ts';
import { didYouMean } from '../core/tool/nearest-names.ts';
import { dialectNames } from '../dialects/index.ts';
import { UsageError } from './io.ts';

/** `--dialect NAME`, or a usage error that names those there are. */
export const checkDialect = (name: string): string => {
  const known = dialectNames();
  if (known.includes(name)) return name;
  throw new UsageError(
    `There is no dialect ${quotedName(name)}.${didYouMean(name, known)} There are: ${known.join(', ')}.`,
  );
};
