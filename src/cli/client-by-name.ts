/** A client of `halter connect` or `halter launch` by its name. */
import { quotedName } from '../core/quoted-name.ts';
import { didYouMean } from '../core/tool/nearest-names.ts';
import { UsageError } from './io.ts';

/** Throws `UsageError` for a name that is in no table. */
export const clientByName = <T>(clients: Readonly<Record<string, T>>, name: string, command: string): T => {
  const client = Object.hasOwn(clients, name) ? clients[name] : undefined;
  if (client !== undefined) return client;
  const names = Object.keys(clients);
  const plain = name.toLowerCase().replaceAll(' ', '-');
  // As people call it: Claude Code.
  const called = names.find((each) => plain === each || plain === `${each}-code`);
  throw new UsageError(
    `There is no client ${quotedName(name)}.${called === undefined ? didYouMean(name, names) : ` Did you mean ${called}?`} The clients are: ${names.join(', ')}.`,
    command,
  );
};
