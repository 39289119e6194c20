/** Commands that go to another session, or away. */

import { thrownText } from '../../core/thrown-text.ts';
import { SessionInUse } from '../app-options.ts';
import type { SlashCommand, SlashHost } from './slash-command.ts';

const begin = async (host: SlashHost): Promise<void> => {
  if (host.activity().isRunning) {
    host.notice('warning', 'A run is going on. Esc stops it, then /new.');
    return;
  }
  const before = host.session();
  host.begin(await host.open());
  await before.close();
};

const chooseSession = async (host: SlashHost, argument: string): Promise<void> => {
  if (host.activity().isRunning) return host.notice('warning', 'A run is going on. Esc stops it, then /sessions.');
  const here = host.session().id;
  if (argument === here) return host.notice('quiet', 'That is this session.');
  if (argument !== '') return openChosen(host, argument);
  const others = ((await host.options.listSessions?.()) ?? []).filter(({ id }) => id !== here);
  if (others.length === 0) return host.notice('quiet', 'There are no other sessions in this folder.');
  host.pick(
    others.map(({ id, title, when }) => ({ value: id, label: title, description: when })),
    '',
    {
      title: 'Choose a session',
      hint: 'Enter goes on with it, Esc stays here',
      take: (chosen) => void openChosen(host, chosen),
    },
  );
};

/** The chosen session in place of the present one. */
const openChosen = async (host: SlashHost, id: string): Promise<void> => {
  try {
    const next = await host.open(id);
    const before = host.session();
    host.begin(next);
    await before.close();
  } catch (error) {
    if (error instanceof SessionInUse && host.options.forkSession !== undefined) return offerCopy(host, id);
    host.notice('error', thrownText(error));
  }
};

/** Two halters do not write one session. */
const offerCopy = (host: SlashHost, id: string): void =>
  host.pick(
    [
      { value: 'copy', label: 'Go on with a copy', description: 'the other window keeps the session' },
      { value: 'stay', label: 'Stay here' },
    ],
    'copy',
    {
      title: 'That session is open in another halter.',
      hint: 'Enter chooses, Esc stays here',
      take: (chosen) => void (chosen === 'copy' ? openCopy(host, id) : undefined),
    },
  );

const openCopy = async (host: SlashHost, id: string): Promise<void> => {
  try {
    const copy = await host.options.forkSession?.(id);
    if (copy === undefined) return;
    const before = host.session();
    host.begin(copy, `A copy of session ${id}, which stays as it is.`);
    await before.close();
  } catch (error) {
    host.notice('error', thrownText(error));
  }
};

export const SESSION_COMMANDS: readonly SlashCommand[] = [
  {
    name: 'sessions',
    description: 'go on with an earlier session of this folder',
    argument: 'id',
    complete: async ({ listSessions }) =>
      ((await listSessions?.()) ?? []).map(({ id, title, when }) => ({ value: id, description: `${title}, ${when}` })),
    waitsForEnd: () => true,
    perform: chooseSession,
  },
  { name: 'new', description: 'begin a new session', waitsForEnd: () => true, perform: begin },
  { name: 'exit', description: 'leave halter', perform: (host) => host.quit() },
];
