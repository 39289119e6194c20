/** `halter launch CLIENT`: another agent on a local model, by a gateway that lives as long as the agent does. */
import { randomBytes } from 'node:crypto';
import { startInForeground } from '../../io/processes.ts';
import { createApp, listen } from '../../server/index.ts';
import { clientByName } from '../client-by-name.ts';
import type { CommandCode } from '../command-code.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { type Io, UsageError } from '../io.ts';
import { type Gateway, LAUNCHED_CLIENTS, type LaunchedClient, withoutProxy } from '../launch/clients.ts';
import { checkManaged, writeSessionFile } from '../launch/session-settings.ts';
import { openHalter } from '../open-halter.ts';
import { progressLine } from '../progress-line.ts';
import { reportFailure, reportModelError } from '../settings.ts';
import { readVersion } from '../version.ts';

/** Every client sends this name; the gateway takes the model that halter was started with. */
const MODEL = 'default';
const SIGNAL_BASE = 128;
const SIGNAL_NUMBERS: Readonly<Partial<Record<NodeJS.Signals, number>>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGKILL: 9,
  SIGTERM: 15,
};

export const launchCommand: CommandCode = {
  async execute({ words: [name = '', ...given], flags, io }) {
    const client: LaunchedClient = clientByName(LAUNCHED_CLIENTS, name, 'launch');
    const taken = client.ownFlags?.find((flag) => given.some((word) => word === flag || word.startsWith(`${flag}=`)));
    if (taken) throw new UsageError(`${taken} is what halter itself passes to ${client.program}.`, 'launch');
    const managed = await checkManaged(client);
    if (!managed.ok) return reportFailure(managed.error, io);
    const progress = progressLine(io.stderr);
    const opened = await openHalter({ flags, io, onLoading: progress.show });
    if (!opened.ok) return reportFailure(opened.error, io);
    try {
      // A model that cannot be used is reported before the client takes the screen.
      const model = await opened.value.model();
      if (!model.ok) return reportModelError(model.error, io);
      const token = randomBytes(32).toString('base64url');
      const app = createApp({ halter: opened.value, token, version: readVersion() });
      const listening = await listen(app, { host: '127.0.0.1', port: 0, ownProcess: true });
      if (!listening.ok) return reportFailure(listening.error, io);
      try {
        const url = `http://127.0.0.1:${listening.value.port}`;
        const contextTokens = model.value.info.context_length;
        return await run(client, given, { url, token, model: MODEL, contextTokens }, io);
      } finally {
        await app.close();
        await listening.value.close();
      }
    } finally {
      await opened.value.close();
    }
  },
};

const run = async (client: LaunchedClient, given: readonly string[], gateway: Gateway, io: Io): Promise<ExitCode> => {
  const settings = await writeSessionFile(client, gateway, io);
  if (!settings.ok) return reportFailure(settings.error, io);
  const { path, remove } = settings.value;
  try {
    const variables = { ...withoutProxy(io.env), ...client.environment(gateway, path) };
    return await inForeground(client, [...client.args(gateway, path), ...given], variables, io);
  } finally {
    await remove();
  }
};

/** With the terminal. Its exit code is ours. */
const inForeground = async (
  client: LaunchedClient,
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
  io: Io,
): Promise<ExitCode> => {
  const running = startInForeground({ program: client.program, args, cwd: io.cwd, env: { ...io.env, ...variables } });
  // At a terminal, an interrupt is for the client, which mostly goes on.
  let isStopped = false;
  const stopListening = io.onSignal((signal) => {
    if (signal === 'SIGINT' && io.stdin.isTTY) return running.pass(signal);
    isStopped = true;
    running.stop(signal);
  });
  const end = await running.ended;
  stopListening();
  // What ended halter ended the client too, which may say so in its own way: 143, 0.
  if (end.started && isStopped) return EXIT.interrupted;
  if (end.started) {
    return (end.code ?? SIGNAL_BASE + (end.signal ? (SIGNAL_NUMBERS[end.signal] ?? 0) : 0)) as ExitCode;
  }
  io.stderr.write(
    end.error.code === 'ENOENT'
      ? `halter: ${client.program} is not installed. \`${client.install}\` gets it.\n`
      : `halter: ${client.program} could not be started: ${end.error.message}\n`,
  );
  return EXIT.error;
};
