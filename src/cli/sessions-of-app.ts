/** The sessions of the terminal app, and the model that it shows. One whose model is not there yet is opened all the same. */

import { setTimeout as after } from 'node:timers/promises';
import type { Agent, ChosenModel, OpenSessionOptions } from '../agent/create-agent.ts';
import { AGENT_LIMITS } from '../agent/limits.ts';
import { presentWindow } from '../agent/models/choose-model.ts';
import { lastSession } from '../agent/session/open-session.ts';
import { lastModelOf } from '../agent/session/own-model.ts';
import { mayPass, waitingSession } from '../agent/session/waiting-session.ts';
import { withHint } from '../core/error-text.ts';
import type { Event, SessionFace } from '../core/events.ts';
import type { ModelError } from '../core/model-port.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { refusedHere } from '../core/session-folder.ts';
import type { Config } from '../storage/config-file.ts';
import type { ModelFacts } from '../terminal/app-options.ts';
import type { FlagValues } from './flags.ts';
import { serverChoice } from './server-choice.ts';

export type SessionsOfApp = {
  /** `model`: what asking for it gave, where that was done already. */
  open(choice: OpenSessionOptions, model?: Outcome<ChosenModel, ModelError>): Promise<Outcome<SessionFace>>;
  /** The one that the app began with; undefined while it is not there. */
  chosen(): ChosenModel | undefined;
};

export type SessionsOfAppOptions = {
  /** Says why a session waits. */
  warn(message: string): void;
};

/** A mistake in what the person wrote ends the start; a model that can be there later does not. */
export const opensWithout = (error: ModelError, flags: FlagValues): boolean =>
  mayPass(error) || (error.code === 'load_failed' && flags.model === undefined && flags.provider === undefined);

export const sessionsOfApp = (halter: Agent, flags: FlagValues, { warn }: SessionsOfAppOptions): SessionsOfApp => {
  let chosen: ChosenModel | undefined;
  const openNow = async (choice: OpenSessionOptions): Promise<Outcome<SessionFace, ModelError>> => {
    const session = await halter.openSession(choice);
    if (session.ok) chosen ??= await modelOfSession(halter, session.value, choice.model);
    return session;
  };
  return {
    chosen: () => chosen,
    async open(choice, model) {
      const opened = model?.ok === false ? model : await openNow(choice);
      if (opened.ok) return opened;
      const { error } = opened;
      if (error.of_storage || !opensWithout(error, flags)) return failure('io_error', withHint(error), error.reason);
      const found = await pastOf(halter, choice);
      if (!found.ok) return found;
      const { id, past } = found.value;
      const { continueLast: _, ...others } = choice;
      warn(waitsText(error));
      const open = (name?: string) => openNow({ ...others, id, ...(name === undefined ? {} : { model: name }) });
      const pause = (signal: AbortSignal) =>
        after(AGENT_LIMITS.modelRetryMs, undefined, { signal, ref: false }).catch(() => undefined);
      return succeed(waitingSession({ id, past, problem: error, open, pause }));
    },
  };
};

/** What was said so far, which can be read without a model. */
const pastOf = async (
  halter: Agent,
  choice: OpenSessionOptions,
): Promise<Outcome<{ id: string; past: readonly Event[] }>> => {
  const last = choice.continueLast ? await lastSession(halter.sessions, halter.folder) : succeed(undefined);
  if (!last.ok) return last;
  const id = choice.id ?? last.value;
  if (id === undefined) return succeed({ id: crypto.randomUUID(), past: [] });
  const read = await halter.sessions.read(id);
  // An id that is not there yet begins a session of that name.
  if (!read.ok) return read.error.error_type === 'not_found' ? succeed({ id, past: [] }) : read;
  const elsewhere = refusedHere(read.value.events, id, halter.folder);
  return elsewhere === undefined ? succeed({ id, past: read.value.events }) : { ok: false, error: elsewhere };
};

const waitsText = (error: ModelError): string =>
  mayPass(error)
    ? `${withHint(error)} What you send waits until it is there. /model NAME takes another model, and \`halter -m embedded/starter\` a small one that halter gets by itself.`
    : `${withHint(error)} It is tried again with what you send. /model NAME takes another model.`;

/** The session may have gone on with its own, or with one that was named for it. */
const modelOfSession = async (
  halter: Agent,
  session: SessionFace,
  named: string | undefined,
): Promise<ChosenModel | undefined> => {
  const usual = await halter.models.open(named);
  const name = lastModelOf(session.log());
  const opened =
    name === undefined || (usual.ok && name === usual.value.model) ? undefined : await halter.models.open(name);
  if (opened?.ok) return opened.value;
  return usual.ok ? usual.value : undefined;
};

/** `model` as it is now: what is learned of it in the session is shown as well, and of one that waits what was asked for. */
export const shownModel = (
  model: () => ChosenModel | undefined,
  asked: { flags: FlagValues; config: Config },
  shortened: (endpoint: string) => string,
): ModelFacts => {
  const wanted = serverChoice(asked.flags, asked.config);
  return {
    get name() {
      return model()?.model ?? wanted.model ?? 'no model yet';
    },
    get sees() {
      const present = model();
      return present?.provider.name === 'embedded' ? false : present?.info.vision;
    },
    get contextLength() {
      const present = model();
      return present && presentWindow(present);
    },
    get endpoint() {
      return shortened(model()?.provider.endpoint ?? wanted.baseUrl ?? 'this machine');
    },
  };
};
