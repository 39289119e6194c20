/** The MCP servers: how they stand, why one does not, and what can be done about it. The same words as `/mcp` in the terminal. */

import { useCallback, useEffect, useRef, useState } from 'react';
import { useApp } from '../app-context.tsx';
import { toolTitle } from '../calls/call-facts.ts';
import { counted } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { useModal } from '../parts/use-modal.ts';
import { useSecondPress } from '../parts/use-second-press.ts';
import { useWritten } from '../parts/use-written.ts';
import { visible } from '../parts/visible.ts';
import type { Answer, ServerRow } from '../state/api.ts';
import { AddServer } from './add-server.tsx';

const LOOK_MS = 1_500;

const STATES: Readonly<Record<ServerRow['state'], { mark: string; color: string }>> = {
  connected: { mark: '●', color: 'text-good' },
  failed: { mark: '✕', color: 'text-bad' },
  'login needed': { mark: '?', color: 'text-warn' },
  'not connected': { mark: '○', color: 'text-soft' },
  disabled: { mark: '○', color: 'text-soft' },
};
const ORIGINS: Readonly<Record<ServerRow['origin'], string>> = {
  own: 'your list',
  folder: '.mcp.json of this folder',
  program: 'named by the program',
};

/** What is asked of a server, and what comes of it. */
type Act = (work: Promise<Answer<{ server: ServerRow }>>, note?: string) => Promise<ServerRow | undefined>;

export const ServersDialog = ({ onClose }: { onClose(): void }) => {
  const { api } = useApp();
  const [servers, setServers] = useState<readonly ServerRow[]>();
  const [problem, setProblem] = useState<string>();
  const dialog = useRef<HTMLDialogElement>(null);
  const look = useCallback(async (): Promise<void> => {
    const answer = await api.mcpServers();
    setProblem(answer.ok ? undefined : answer.message);
    if (answer.ok) setServers(answer.value.servers);
  }, [api]);
  useModal(dialog);
  useEffect(() => void look(), [look]);
  // Where a person is sent to log in, they come back here when it is done.
  const isWaiting = servers?.some(({ login }) => login?.address !== undefined) ?? false;
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(() => void look(), LOOK_MS);
    return () => clearInterval(timer);
  }, [isWaiting, look]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the browser closes it with Escape.
    <dialog
      ref={dialog}
      aria-label="MCP servers"
      className="m-auto mt-[8vh] max-h-[84vh] w-[40rem] max-w-[calc(100vw-1rem)] overflow-hidden rounded border border-line bg-raised p-0 text-ink shadow-float backdrop:bg-black/30 open:flex open:flex-col"
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <div className="flex h-12 shrink-0 items-center gap-2 border-b border-line pl-4 pr-2">
        <h2 className="min-w-0 flex-1 font-semibold">MCP servers</h2>
        <button type="button" className="icon-button" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      <section
        className="min-h-0 overflow-y-auto px-4 pb-3"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard.
        tabIndex={0}
        aria-label="The servers"
      >
        {problem !== undefined && (
          <p role="alert" className="py-3 text-sm text-bad">
            {problem}
          </p>
        )}
        {servers === undefined && problem === undefined && (
          <p role="status" className="flex items-center gap-2 py-3 text-sm text-soft">
            <span className="spinner" aria-hidden="true" /> Connecting to the servers
          </p>
        )}
        {servers?.length === 0 && <p className="py-3 text-sm text-soft">There are no MCP servers yet.</p>}
        <ul aria-label="MCP servers">
          {servers?.map((server) => (
            <Server
              key={server.name}
              server={server}
              onRemoved={() => void look()}
              onChange={(next) => setServers((known) => known?.map((each) => (each.name === next.name ? next : each)))}
            />
          ))}
        </ul>
        {servers !== undefined && <AddServer onAdded={() => void look()} />}
      </section>
    </dialog>
  );
};

type ServerProps = { server: ServerRow; onChange(next: ServerRow): void; onRemoved(): void };

const Server = ({ server, onChange, onRemoved }: ServerProps) => {
  const { api } = useApp();
  const [isBusy, setBusy] = useState(false);
  const [note, setNote] = useState<string>();
  const { name, state, detail, shown, origin, tool_names: tools, login } = server;
  const act: Act = async (work, said) => {
    setBusy(true);
    setNote(undefined);
    const answer = await work;
    setBusy(false);
    setNote(answer.ok ? said : answer.message);
    if (!answer.ok) return undefined;
    onChange(answer.value.server);
    return answer.value.server;
  };
  const { mark, color } = STATES[state];
  return (
    <li className="border-b border-line py-3 last:border-b-0" data-mcp-server={state} aria-busy={isBusy}>
      <div className="flex flex-wrap items-baseline gap-x-2">
        <span className={color} aria-hidden="true">
          {mark}
        </span>
        <h3 className="font-semibold [overflow-wrap:anywhere]">{visible(name)}</h3>
        <span className={`text-sm ${color}`}>{state}</span>
        {state === 'connected' && <span className="text-sm text-soft">· {counted(tools.length, 'tool')}</span>}
        <span className="ml-auto text-xs text-soft">{ORIGINS[origin]}</span>
      </div>
      {detail !== '' && (
        <p className={`text-sm [overflow-wrap:anywhere] ${state === 'connected' ? 'text-soft' : ''}`}>
          {visible(detail)}
        </p>
      )}
      <p className="mono mono-wrap text-xs text-soft">{visible(shown)}</p>
      {tools.length > 0 && (
        <details className="mt-1 text-sm">
          <summary className="cursor-pointer text-soft">Its tools</summary>
          <ul className="mono mt-1 flex flex-wrap gap-x-4 text-xs" aria-label={`Tools of ${name}`}>
            {tools.map((tool) => (
              <li key={tool} title={tool}>
                {visible(toolTitle(tool).tool)}
              </li>
            ))}
          </ul>
        </details>
      )}
      {login?.address !== undefined && <LoginUnderWay name={name} address={login.address} act={act} />}
      {login?.problem !== undefined && (
        <p role="alert" className="mt-1 text-sm text-bad [overflow-wrap:anywhere]">
          {visible(login.problem)}
        </p>
      )}
      <div className="mt-2 flex flex-wrap items-center gap-2">
        <Actions server={server} act={act} disabled={isBusy} api={api} />
        {origin === 'own' && <Remove name={name} onRemoved={onRemoved} onProblem={setNote} />}
        {isBusy && <span className="spinner" aria-hidden="true" />}
        <span role="status" className="min-w-0 text-xs text-soft [overflow-wrap:anywhere]">
          {note}
        </span>
      </div>
    </li>
  );
};

const STAYS = 'What a prompt offers stays as the session began; a new session begins another one.';

type ActionsProps = { server: ServerRow; act: Act; disabled: boolean; api: ReturnType<typeof useApp>['api'] };

const Actions = ({ server, act, disabled, api }: ActionsProps) => {
  const { name, state, consent, login } = server;
  const button = (label: string, onClick: () => void, title?: string) => (
    <button
      type="button"
      className="button"
      disabled={disabled}
      title={title}
      aria-label={`${label}: ${name}`}
      onClick={onClick}
    >
      {label}
    </button>
  );
  if (consent !== undefined)
    return button(
      'Let it start',
      () => void act(api.mcpAllow(name, consent), STAYS),
      'Now and later, as it is shown; a change asks again',
    );
  if (state === 'disabled') return button('Turn on', () => void act(api.mcpEnable(name, true), STAYS));
  const isUnderWay = login?.address !== undefined;
  return (
    <>
      {state === 'login needed' && login && !isUnderWay && button('Log in', () => void act(api.mcpLogIn(name)))}
      {login?.kept && button('Log out', () => void act(api.mcpLogOut(name)), 'The login is forgotten here')}
      {button('Reconnect', () => void act(api.mcpReconnect(name)))}
      {button('Turn off', () => void act(api.mcpEnable(name, false), STAYS))}
    </>
  );
};

/** Asked once more: what its list says of it, a key in it too, is gone then. */
const Remove = ({
  name,
  onRemoved,
  onProblem,
}: {
  name: string;
  onRemoved(): void;
  onProblem(message: string): void;
}) => {
  const { api } = useApp();
  const remove = async (): Promise<void> => {
    const answer = await api.mcpRemove(name);
    if (answer.ok) onRemoved();
    else onProblem(answer.message);
  };
  const { isAsked, ask, press, takeBack, waits } = useSecondPress(() => void remove());
  return (
    <button
      type="button"
      className={isAsked ? 'button text-bad' : 'button'}
      aria-label={`${isAsked ? 'Really remove' : 'Remove'}: ${name}`}
      {...waits}
      onBlur={takeBack}
      onClick={isAsked ? press : ask}
    >
      {isAsked ? 'Really remove' : 'Remove'}
    </button>
  );
};

/** The person goes there by a click of their own: an address of a server opens nothing by itself. */
const LoginUnderWay = ({ name, address, act }: { name: string; address: string; act: Act }) => {
  const { api } = useApp();
  const { value: returned, set: setReturned, forget, isUnsaved } = useWritten(`login of ${name}`, '', true);
  const target = URL.parse(address);
  if (target === null || !['http:', 'https:'].includes(target.protocol)) return null;
  return (
    <div className="mt-2 rounded border border-line bg-sunken px-3 py-2 text-sm" data-login>
      <p className="mono mono-wrap mb-2 text-xs text-soft">{visible(target.href)}</p>
      <a href={target.href} target="_blank" rel="noreferrer noopener" className="button-main">
        Log in at {target.host}
      </a>
      <details className="mt-2" open={isUnsaved || undefined}>
        <summary className="cursor-pointer text-soft">Is halter on another machine than this browser?</summary>
        <form
          className="mt-1 flex gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            void act(api.mcpReturned(name, returned)).then((server) => server && forget());
          }}
        >
          <input
            className="field mono min-w-0 flex-1 text-xs"
            aria-label="The address that the login ends at"
            placeholder="Paste the address here that it ends at"
            value={returned}
            onChange={(event) => setReturned(event.target.value)}
          />
          <button type="submit" className="button" disabled={returned.trim() === ''}>
            Send
          </button>
        </form>
      </details>
    </div>
  );
};
